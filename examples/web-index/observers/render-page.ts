// SPDX-License-Identifier: Apache-2.0
import {
  defineObserver,
  type ObserverTransaction,
} from '../../../server/live/observers/define-observer.ts'
import { readHtml, renderHtml } from '../pages/html.ts'

/**
 * A page as it is shown, with the pages that it includes in their places (Percolator 1). A weak observer:
 * many resources of one page may change at a time.
 */
export const renderPage = defineObserver({
  observer: 'render_page',
  workers: 4,
  run: async (tx, { key: [key] }) => {
    const url = key as string
    // As in `elect`, runs for one page are made to conflict.
    const { rows: rendered } = await tx.query<{ html: string }>(
      'GET html FROM rendering WHERE url = $1 FOR UPDATE',
      [url],
    )
    const body = (await bodiesOf(tx, [url])).get(url)
    if (body === undefined) {
      await tx.query('DELETE FROM rendering WHERE url = $1', [url])
      return
    }
    const html = renderHtml(url, body, await bodiesOf(tx, readHtml(url, body).includes))
    if (html !== rendered[0]?.html) {
      await tx.query('SET html = :html ON rendering WHERE url = :url', { html, url })
    }
  },
})

async function bodiesOf(
  tx: ObserverTransaction,
  urls: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await tx.query<{ url: string; body: string }>(
    'GET url, body FROM page WHERE url IN $1',
    [urls],
  )
  return new Map(rows.map(({ url, body }) => [url, body]))
}
