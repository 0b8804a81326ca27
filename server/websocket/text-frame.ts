// SPDX-License-Identifier: Apache-2.0

const FINAL_TEXT = 0x81
const SHORT_MAX = 125
const MEDIUM_MAX = 0xffff

/**
 * The head of a text frame of `bytes` bytes, as a server sends it: unmasked, whole, uncompressed
 * (RFC 6455, 5.2). Throws RangeError beyond 65,535 bytes.
 */
export function textFrameHead(bytes: number): Buffer {
  if (bytes <= SHORT_MAX) return Buffer.from([FINAL_TEXT, bytes])
  if (bytes > MEDIUM_MAX) throw new RangeError('Long frames are sent in pieces.')
  return Buffer.from([FINAL_TEXT, 126, bytes >> 8, bytes & 0xff])
}
