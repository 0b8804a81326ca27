// SPDX-License-Identifier: Apache-2.0

export type Page = {
  readonly title: string
  readonly text: string
  /** Of each link, where it leads and what it says. */
  readonly links: readonly Link[]
  /** The url that the page says is its true one. */
  readonly canonical?: string | undefined
  /** The pages that are shown in it. */
  readonly includes?: readonly string[] | undefined
}

export type Link = readonly [target: string, text: string]

/** A page as a web server would send it. */
export function writeHtml({ title, text, links, canonical, includes = [] }: Page): string {
  const head = canonical === undefined ? '' : `<link rel="canonical" href="${canonical}">`
  const anchors = links.map(([target, says]) => `<a href="${target}">${says}</a>`)
  const frames = includes.map((url) => `<iframe src="${url}"></iframe>`)
  return `<title>${title}</title>${head}\n<p>${text}</p>\n${[...anchors, ...frames].join('\n')}\n`
}

const FRAME = /<iframe\s[^>]*?src="([^"]*)"[^>]*>.*?<\/iframe>/gis
const TITLE = /<title>(.*?)<\/title>/is

/**
 * A page as it is shown: the texts of the pages that it includes, as far as they are known, are in the
 * places of their frames. What these include themselves is left out, so that there are no circles.
 */
export function renderHtml(url: string, html: string, bodies: ReadonlyMap<string, string>): string {
  return html.replace(FRAME, (_frame, src: string) => {
    const body = bodies.get(resolveUrl(src, url) ?? '')
    return body === undefined ? '' : `<div>${textOf(body.replace(TITLE, ''))}</div>`
  })
}

function textOf(html: string): string {
  return html.replace(FRAME, ' ').replace(/<[^>]*>/g, ' ')
}

/** As much of HTML as this example needs: no entities, comments or scripts. */
export function readHtml(
  url: string,
  html: string,
): Page & { readonly includes: readonly string[] } {
  const links = new Map<string, string>()
  for (const [, href = '', says = ''] of html.matchAll(
    /<a\s[^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gis,
  )) {
    const target = resolveUrl(href, url)
    // A page says nothing about itself, and of two links to one page the first counts.
    if (target !== undefined && target !== url && !links.has(target)) links.set(target, says)
  }
  const includes = new Set<string>()
  for (const [, src = ''] of html.matchAll(FRAME)) {
    const resource = resolveUrl(src, url)
    if (resource !== undefined && resource !== url) includes.add(resource)
  }
  const canonical = html.match(/<link\s+rel="canonical"\s+href="([^"]*)"/i)?.[1]
  return {
    title: html.match(TITLE)?.[1] ?? url,
    text: textOf(html),
    links: [...links].sort(([a], [b]) => (a < b ? -1 : 1)),
    canonical: canonical === undefined ? undefined : resolveUrl(canonical, url),
    includes: [...includes].sort(),
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
