// SPDX-License-Identifier: Apache-2.0

import type { IToken } from 'chevrotain'
import type { LiteralExpression, Name, ParameterExpression, Position } from '../ast.ts'
import { False, Null, True } from '../grammar/keywords.ts'
import {
  Bytes,
  ClaimParameter,
  Integer,
  NumberedParameter,
  QuotedIdentifier,
  Real,
} from '../grammar/tokens.ts'
import { shownToken, syntaxError } from '../parse-error.ts'
import { positionOfToken } from './cst-position.ts'

/** The value that a token of the category Literal stands for. */
export function buildLiteral(token: IToken): LiteralExpression {
  const position = positionOfToken(token)
  const kind = 'literal'
  switch (token.tokenType) {
    case Null:
      return { kind, type: 'null', value: null, position }
    case True:
    case False:
      return { kind, type: 'boolean', value: token.tokenType === True, position }
    case Integer:
      return { kind, type: 'integer', value: BigInt(token.image), position }
    case Real:
      return {
        kind,
        type: 'real',
        value: finite(token.image, position),
        text: token.image,
        position,
      }
    case Bytes:
      return { kind, type: 'bytes', value: bytesOf(token.image), position }
    default:
      return { kind, type: 'text', value: unquoted(token.image), position }
  }
}

export function buildParameter(token: IToken): ParameterExpression {
  if (token.tokenType === ClaimParameter) {
    const key = `token.${token.image.slice('token.'.length)}`
    return { kind: 'parameter', key, position: positionOfToken(token) }
  }
  const key = token.image.slice(1)
  return {
    kind: 'parameter',
    key: token.tokenType === NumberedParameter ? Number(key) : key,
    position: positionOfToken(token),
  }
}

export function buildName(token: IToken): Name {
  return { text: nameText(token), position: positionOfToken(token) }
}

export function nameText(token: IToken): string {
  return token.tokenType === QuotedIdentifier ? unquoted(token.image) : token.image
}

function finite(image: string, position: Position): number {
  const value = Number(image)
  if (Number.isFinite(value)) return value
  throw syntaxError('the number is too large for a REAL', position, { token: shownToken(image) })
}

/** x'0aff' */
function bytesOf(image: string): Uint8Array {
  return Uint8Array.from(Buffer.from(image.slice(2, -1), 'hex'))
}

/** Drops the quotes around and halves those within; the quote is the first character. */
export function unquoted(image: string): string {
  const quote = image.charAt(0)
  return image.slice(1, -1).replaceAll(quote + quote, quote)
}
