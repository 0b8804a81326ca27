// SPDX-License-Identifier: Apache-2.0
import { posix } from 'node:path'
import { readTree } from '../source/tree-texts.ts'
import { ROOMS, roomOf } from './rooms.ts'

/** They read the whole tree, and import none of it. */
const ALWAYS = ['test/docs.test.ts', 'test/pages.test.ts', 'test/source/tidy.test.ts']
/** Seconds of processor time that a quick run may take by the budgets, which are half above what is usual. */
const QUICK_SECONDS = 36
const IMPORT = /(?:\bfrom|\bimport|\bimport\(|new URL\()\s*['"](\.{1,2}\/[^'"]+)['"]/g

/**
 * Of the test files `all`, those nearest to the `changed` files by the number of imports between them, as many as
 * take 20 seconds on two cores; and a line that says how many there are and how many were chosen.
 */
export function nearestTests(
  root: string,
  changed: readonly string[],
  all: readonly string[],
): { readonly files: string[]; readonly said: string } {
  const importers = importersIn(readTree(root))
  const distances = distancesFrom(changed, importers)
  const counts = Map.groupBy(all, roomOf)
  const folders = new Set(changed.map(posix.dirname))
  // Those that stand beside a changed file are for it.
  const rank = (file: string) =>
    (distances.get(file) ?? 0) - (folders.has(posix.dirname(file)) ? 100 : 0)
  const near = all.filter((file) => distances.has(file)).sort((a, b) => rank(a) - rank(b))
  let seconds = 0
  const files = near.filter((file) => {
    const room = roomOf(file) ?? ''
    seconds += (ROOMS[room] ?? 0) / (counts.get(room)?.length ?? 1)
    return seconds <= QUICK_SECONDS || distances.get(file) === 0
  })
  const said = `${changed.length} files differ from main; ${near.length} test files are among them or import them: the nearest ${files.length} run here, all of them in npm test.`
  const always = ALWAYS.filter((file) => all.includes(file) && !files.includes(file))
  return { files: [...files, ...always], said }
}

/** For each file those that import it. */
export function importersIn(tree: ReadonlyMap<string, string>): Map<string, string[]> {
  const importers = new Map<string, string[]>()
  for (const [path, text] of tree) {
    for (const [, specifier = ''] of text.matchAll(IMPORT)) {
      const imported = posix.join(posix.dirname(path), specifier)
      importers.set(imported, [...(importers.get(imported) ?? []), path])
    }
  }
  return importers
}

/** How many imports lie between each file and the nearest of `files`. */
export function distancesFrom(
  files: readonly string[],
  importers: ReadonlyMap<string, readonly string[]>,
): Map<string, number> {
  const distances = new Map(files.map((file) => [file, 0]))
  const queue = [...files]
  for (const file of queue) {
    const next = (distances.get(file) ?? 0) + 1
    for (const importer of importers.get(file) ?? []) {
      if (distances.has(importer)) continue
      distances.set(importer, next)
      queue.push(importer)
    }
  }
  return distances
}
