// SPDX-License-Identifier: Apache-2.0

/** Where the console is, as the address bar has it after `#`: `/cells/account/bob?at=17`. */
export type Address = {
  /** Of a view; empty for the first one. */
  readonly view: string
  /** What of the view, such as a table and a key. */
  readonly parts: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

/** Reads what stands after `#`, whatever it is. */
export function addressOf(hash: string): Address {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split(/\?(.*)/s)
  const [view = '', ...parts] = path.split('/').map(decoded)
  return { view, parts, query: Object.fromEntries(new URLSearchParams(query)) }
}

/** The text for a link or the address bar. */
export function hashOf({ view, parts = [], query = {} }: Partial<Address>): string {
  const path = [view ?? '', ...parts].map(encodeURIComponent).join('/')
  const search = new URLSearchParams(query).toString()
  return `#/${path}${search === '' ? '' : `?${search}`}`
}

/** A part that nobody has encoded is taken as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
