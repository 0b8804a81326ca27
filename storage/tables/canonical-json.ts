// SPDX-License-Identifier: Apache-2.0

/**
 * One text for all writings of the same JSON document, so that documents are equal exactly when
 * these texts are: no spaces, members sorted by name, numbers and strings as `JSON.stringify`
 * writes them (which makes 1.0 equal to 1 and -0 equal to 0). `text` is valid JSON.
 *
 *     {"b": [1.0, "x"], "a": null}   ->   {"a":null,"b":[1,"x"]}
 */
export function canonicalJson(text: string): string {
  const written: string[] = []
  // A stack instead of recursion: a deeply nested document must not exhaust the call stack.
  const pending: Piece[] = [{ value: JSON.parse(text) as Json }]
  for (let piece = pending.pop(); piece !== undefined; piece = pending.pop()) {
    if ('text' in piece) written.push(piece.text)
    else if (Array.isArray(piece.value)) pushAll(pending, arrayPieces(piece.value))
    else if (typeof piece.value === 'object' && piece.value !== null) {
      pushAll(pending, objectPieces(piece.value))
    } else written.push(JSON.stringify(piece.value))
  }
  return written.join('')
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
type Piece = { readonly text: string } | { readonly value: Json }

function pushAll(pending: Piece[], pieces: readonly Piece[]): void {
  for (let index = pieces.length - 1; index >= 0; index -= 1) pending.push(pieces[index] as Piece)
}

function arrayPieces(items: readonly Json[]): Piece[] {
  const pieces: Piece[] = [{ text: '[' }]
  items.forEach((item, index) => {
    if (index > 0) pieces.push({ text: ',' })
    pieces.push({ value: item })
  })
  pieces.push({ text: ']' })
  return pieces
}

function objectPieces(members: { readonly [name: string]: Json }): Piece[] {
  const pieces: Piece[] = [{ text: '{' }]
  Object.keys(members)
    .sort()
    .forEach((name, index) => {
      pieces.push({ text: `${index > 0 ? ',' : ''}${JSON.stringify(name)}:` })
      pieces.push({ value: members[name] as Json })
    })
  pieces.push({ text: '}' })
  return pieces
}
