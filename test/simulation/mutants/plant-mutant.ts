// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Edit, Mutant } from './mutant.ts'
import { MUTANTS } from './mutants.ts'

const ROOT = new URL('../../../', import.meta.url)

export function mutantNamed(name: string): Mutant {
  const found = MUTANTS.find((mutant) => mutant.name === name)
  if (found === undefined) {
    throw new Error(
      `There is no mutant ${name}; there are ${MUTANTS.map((one) => one.name).join()}.`,
    )
  }
  return found
}

/**
 * Plants the bug in every module that this thread loads from now on, so it comes before the import of
 * what is to be tested. Throws when a snippet is not in its source as often as the edit says.
 */
export function plantMutant(mutant: Mutant): void {
  const sources = new Map<string, string>()
  for (const { file } of mutant.edits) {
    const url = new URL(file, ROOT)
    const text = readFileSync(url, 'utf8')
    sources.set(url.href, editedSource(text, mutant, file))
  }
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const source = sources.get(pathToFileURL(pathOf(url)).href)
      return source === undefined ? loaded : { ...loaded, source }
    },
  })
}

/** The source of this file with the mutant's edits. */
export function editedSource(text: string, mutant: Mutant, file: string): string {
  return mutant.edits
    .filter((edit) => edit.file === file)
    .reduce((edited, edit) => applyEdit(edited, edit, mutant.name), text)
}

function applyEdit(text: string, { file, find, replace, times = 1 }: Edit, name: string): string {
  const parts = text.split(find)
  if (parts.length !== times + 1) {
    const message = `the snippet is there ${parts.length - 1} times instead of ${times}`
    throw new Error(`Mutant ${name}, ${file}: ${message}:\n${find}`)
  }
  return parts.join(replace)
}

function pathOf(url: string): string {
  return url.startsWith('file:') ? fileURLToPath(url) : '/'
}
