// SPDX-License-Identifier: Apache-2.0

/** How often a request has a header field, by its name in small letters: of several Node.js keeps one. */
export function countOfHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const field = rawHeaders[at] as string
    if (field.length === name.length && field.toLowerCase() === name) count += 1
  }
  return count
}
