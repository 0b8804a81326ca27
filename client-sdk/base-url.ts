// SPDX-License-Identifier: Apache-2.0

/** The URL of a server without slashes at its end, so that a path can follow. */
export function baseUrl(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end -= 1
  return url.slice(0, end)
}
