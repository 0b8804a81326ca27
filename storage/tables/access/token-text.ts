// SPDX-License-Identifier: Apache-2.0
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Randomness } from '../../randomness.ts'

/** What a client shows: `pct_<id>_<secret><check>`. */
export const TOKEN_PREFIX = 'pct_'
const ID_LETTERS = 'abcdefghijklmnopqrstuvwxyz234567'
const ID_LENGTH = 10
const SECRET_LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 43 letters of 62 hold 256 bits. */
const SECRET_LENGTH = 43
const CHECK_LENGTH = 6
const SHAPE = /^pct_([a-z2-7]{10})_[0-9A-Za-z]{49}$/

/** A new token: its public id, and the text that is shown once. */
export function newTokenText(
  randomness: Randomness,
  id = letters(randomness, ID_LETTERS, ID_LENGTH),
): { readonly id: string; readonly text: string } {
  const body = `${TOKEN_PREFIX}${id}_${letters(randomness, SECRET_LETTERS, SECRET_LENGTH)}`
  return { id, text: body + checkOf(body) }
}

/** The id of a token of the right form; undefined for any other text, so that a mistyped one costs no look-up. */
export function idOfToken(text: string): string | undefined {
  const id = SHAPE.exec(text)?.[1]
  if (id === undefined) return undefined
  const body = text.slice(0, -CHECK_LENGTH)
  return checkOf(body) === text.slice(-CHECK_LENGTH) ? id : undefined
}

/**
 * The text without what is secret of the tokens in it, for a log: people put them where they do not belong. Of a JWT
 * all is, since it says whose it is; its first part begins as `{"` does in base64.
 */
export function withoutTokens(text: string): string {
  const named = text.replaceAll(/(pct_[a-z2-7]{10}_)[0-9A-Za-z]+/g, '$1…')
  const seeing = named.replaceAll(/pci_[\w-]+(\.[\w-]*)?/g, 'pci_…')
  return seeing.replaceAll(/(?<![\w-])ey[\w-]+\.[\w-]+\.[\w-]*/g, 'ey…')
}

/** SHA-256 in hexadecimal digits, without stretching, which is right for 256 random bits. */
export function hashOfToken(text: string): string {
  return hash('sha256', text, 'hex')
}

/** Each letter equally often: bytes beyond the last whole round of the alphabet are thrown away. */
function letters(randomness: Randomness, alphabet: string, length: number): string {
  const limit = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length) {
    for (const byte of randomness.bytes(length)) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length]
    }
  }
  return text
}

function checkOf(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let at = 0; at < CHECK_LENGTH; at += 1) {
    text = SECRET_LETTERS[rest % SECRET_LETTERS.length] + text
    rest = Math.floor(rest / SECRET_LETTERS.length)
  }
  return text
}
