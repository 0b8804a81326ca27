// SPDX-License-Identifier: Apache-2.0
import { defineObserver } from '../../../server/live/observers/define-observer.ts'
import { readHtml } from '../pages/html.ts'

/**
 * Brings the resources that a page depends on in line with what it includes, and has the page rendered,
 * and those that include it. Each of these is rendered after the dependency is known: so of a resource
 * that changes meanwhile either the page is told, or it is rendered with the new one.
 */
export const trackDependencies = defineObserver<{ url: string; body: string }>({
  observer: 'track_dependencies',
  workers: 4,
  run: async (tx, { key: [url], row: page }) => {
    const resources = new Set(page && readHtml(page.url, page.body).includes)
    const { rows: known } = await tx.query<{ resource: string }>(
      'SCAN resource FROM dependency WHERE page = $1',
      [url],
    )
    for (const { resource } of known) {
      if (resources.delete(resource)) continue
      await tx.query('DELETE FROM dependency WHERE resource = $1 AND page = $2', [resource, url])
    }
    for (const resource of resources) {
      await tx.query('INSERT INTO dependency (resource, page) VALUES ($1, $2)', [resource, url])
    }
    const { rows: dependents } = await tx.query<{ page: string }>(
      'SCAN page FROM dependency WHERE resource = $1',
      [url],
    )
    for (const dependent of [url, ...dependents.map((row) => row.page)]) {
      await tx.query('NOTIFY render_page ON to_render WHERE url = $1', [dependent])
    }
  },
})
