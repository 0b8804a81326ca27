// SPDX-License-Identifier: Apache-2.0

export type Page = {
  readonly title: string
  readonly text: string
  /** Of each link, where it leads and what it says. */
  readonly links: readonly Link[]
  /** The url that the page says is its true one. */
  readonly canonical?: string | undefined
}

export type Link = readonly [target: string, text: string]

/** A page as a web server would send it. */
export function writeHtml({ title, text, links, canonical }: Page): string {
  const head = canonical === undefined ? '' : `<link rel="canonical" href="${canonical}">`
  const anchors = links.map(([target, says]) => `<a href="${target}">${says}</a>`)
  return `<title>${title}</title>${head}\n<p>${text}</p>\n${anchors.join('\n')}\n`
}

/** As much of HTML as this example needs: no entities, comments or scripts. */
export function readHtml(url: string, html: string): Page {
  const links = new Map<string, string>()
  for (const [, href = '', says = ''] of html.matchAll(
    /<a\s[^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gis,
  )) {
    const target = resolveUrl(href, url)
    // A page says nothing about itself, and of two links to one page the first counts.
    if (target !== undefined && target !== url && !links.has(target)) links.set(target, says)
  }
  const canonical = html.match(/<link\s+rel="canonical"\s+href="([^"]*)"/i)?.[1]
  return {
    title: html.match(/<title>(.*?)<\/title>/is)?.[1] ?? url,
    text: html.replace(/<[^>]*>/g, ' '),
    links: [...links].sort(([a], [b]) => (a < b ? -1 : 1)),
    canonical: canonical === undefined ? undefined : resolveUrl(canonical, url),
  }
}

/** Longer ones do not fit the key of a table. */
const URL_CHARACTERS_MAX = 1_000

function resolveUrl(href: string, base: string): string | undefined {
  if (!URL.canParse(href, base)) return undefined
  const url = new URL(href, base)
  url.hash = ''
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:'
  return isWeb && url.href.length <= URL_CHARACTERS_MAX ? url.href : undefined
}
