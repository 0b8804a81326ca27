// SPDX-License-Identifier: Apache-2.0

/** A row has at most 8 MiB; as JSON it may be six times as long. */
const LINE_BYTES_MAX = 64 * 1024 * 1024

const NEWLINE = 0x0a

/**
 * The lines of a text without their ends, several at a time: those that a chunk completes. Of a line that is too long
 * to be held it is only known how many bytes it has. What stands behind the last end of a line is one more, unless it
 * is empty.
 */
export async function* byteLines(
  chunks: AsyncIterable<Uint8Array>,
  lineBytesMax = LINE_BYTES_MAX,
): AsyncGenerator<ReadonlyArray<Buffer | number>, void, undefined> {
  let begun: Buffer[] = []
  let begunBytes = 0
  const begin = (part: Buffer) => {
    begunBytes += part.length
    if (begunBytes <= lineBytesMax) begun.push(part)
    else begun = []
  }
  const endOf = (part: Buffer): Buffer | number => {
    if (begunBytes === 0) return part
    begin(part)
    const line = begunBytes <= lineBytesMax ? Buffer.concat(begun) : begunBytes
    begun = []
    begunBytes = 0
    return line
  }
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    const lines: Array<Buffer | number> = []
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      lines.push(endOf(bytes.subarray(start, end)))
      start = end + 1
    }
    if (start < bytes.length) begin(bytes.subarray(start))
    if (lines.length > 0) yield lines
  }
  if (begunBytes > 0) yield [endOf(Buffer.alloc(0))]
}
