// SPDX-License-Identifier: Apache-2.0

/**
 * One input of the fuzz tests, as plain JSON: what is found is printed in this form, and goes into a file of `corpus/`
 * below a name; what most inputs there have may be left out.
 */
export type FuzzInput = StatementInput | RequestInput | SocketInput | StoredInput

/** A text of statements: for the parser, and for `POST /v1/query`. */
export type StatementInput = {
  readonly kind: 'statements'
  readonly text: Content
  /** JSON as it stands on the wire, so that it may hold numbers that no program would write. */
  readonly params?: string
}

/** A request with a body, without a socket. */
export type RequestInput = {
  readonly kind: 'request'
  readonly path: string
  readonly contentType: string
  readonly body: Content
}

/** Bytes on a bare socket that is closed behind them. */
export type SocketInput = { readonly kind: 'socket'; readonly bytes: Content }

/** Bytes where one of our own records should be. */
export type StoredInput = {
  readonly kind: 'stored'
  readonly record: 'key' | 'row' | 'lock' | 'write'
  readonly bytes: Content
}

/** Text, bytes in hexadecimal, or a long repetition; or some of them one after the other. */
export type Content = Piece | readonly Piece[]
type Piece = string | { readonly hex: string } | { readonly repeat: string; readonly times: number }

export function bytesOf(content: Content): Buffer {
  const pieces = Array.isArray(content) ? (content as readonly Piece[]) : [content as Piece]
  return Buffer.concat(
    pieces.map((piece) => {
      if (typeof piece === 'object' && 'hex' in piece) return Buffer.from(piece.hex, 'hex')
      return Buffer.from(textOfPiece(piece))
    }),
  )
}

/** As a string, in which halves of surrogate pairs survive. */
export function textOf(content: Content): string {
  const pieces = Array.isArray(content) ? (content as readonly Piece[]) : [content as Piece]
  return pieces
    .map((piece) =>
      typeof piece === 'object' && 'hex' in piece
        ? Buffer.from(piece.hex, 'hex').toString()
        : textOfPiece(piece),
    )
    .join('')
}

function textOfPiece(piece: string | { readonly repeat: string; readonly times: number }): string {
  return typeof piece === 'string' ? piece : piece.repeat.repeat(piece.times)
}

export function hexOf(bytes: Uint8Array): Content {
  return { hex: Buffer.from(bytes).toString('hex') }
}
