// SPDX-License-Identifier: Apache-2.0

/**
 * What to look for when nothing came of a request of a web page. A browser does not tell a page why, and a
 * server that does not know the page's origin looks like one that is not there. Empty outside of pages, and
 * in those of the server's own origin.
 */
export function originHint(url: string): { readonly words: string; readonly origin?: string } {
  const { location } = globalThis as { location?: { readonly origin?: string } }
  const origin = location?.origin
  if (origin === undefined || origin === new URL(url).origin) return { words: '' }
  const words =
    `. If the server runs, it may not allow the origin of this page, which browsers do not tell: ` +
    `look into the browser's console, and start the server with --allow-origin ${origin}`
  return { words, origin }
}
