// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const FOLDER = new URL('..', import.meta.url)
const PAGES = globSync(['*.md', 'docs/**/*.md', 'client-sdk/*.md', 'storage/**/*.md'], {
  cwd: FOLDER,
})
const DESIGN = new URL('storage/DESIGN.md', FOLDER)

/** The names of a page's headings in links, as GitHub makes them. */
function anchorsOf(page: URL): Set<string> {
  const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)
  return new Set(
    [...headings].map(([, text = '']) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

test('no table of a page is cut in two by a blank line', () => {
  for (const page of PAGES) {
    const text = readFileSync(new URL(page, FOLDER), 'utf8')
    // What begins a table of its own has a rule of dashes below.
    const cut = /^\|.*\n\n(\|.*)\n(?!\|[-: |]+\|$)/m.exec(text)
    assert.equal(cut?.[1], undefined, page)
  }
})

test('every link of a page leads to a file, and to a heading of it where it names one', () => {
  assert.ok(PAGES.length > 40)
  for (const page of PAGES) {
    const at = new URL(page, FOLDER)
    const links = readFileSync(at, 'utf8').matchAll(/\]\(([^)#\s]*)(?:#([^)\s]+))?\)/g)
    for (const [, target = '', anchor] of links) {
      if (/^[a-z]+:/.test(target)) continue
      const to = target === '' ? at : new URL(target, at)
      assert.ok(existsSync(to), `${page} -> ${target}`)
      const isThere = anchor === undefined || anchorsOf(to).has(anchor)
      assert.ok(isThere, `${page} -> ${target}#${anchor}`)
    }
  }
})

test('storage/DESIGN.md names only files that are there, below storage/', () => {
  const files = globSync('storage/**/*.ts', { cwd: FOLDER }).map((path) => `/${path}`)
  const names = [...readFileSync(DESIGN, 'utf8').matchAll(/`([\w./-]+\.ts)`/g)].map(
    ([, name]) => name,
  )
  assert.ok(names.length > 30)
  const gone = names.filter((name) => !files.some((path) => path.endsWith(`/${name}`)))
  assert.deepEqual(gone, [])
})
