// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openRegular } from '../../../storage/operations/operations.ts'
import { UsageError } from '../../usage-error.ts'
import { type DefinedObserver, problemOfObserver } from './define-observer.ts'

/** What it imports has no bound: it runs with the rights of the server. */
const MODULE_BYTES_MAX = 16 * 1024 * 1024

/**
 * Loads the module of `--observers`; none without it. Each of its exports is an observer, and no two are of one name.
 * Throws UsageError for a module that cannot be loaded or is not like that.
 */
export async function loadObservers(path: string | undefined): Promise<readonly DefinedObserver[]> {
  if (path === undefined) return []
  const refused = (why: string) => new UsageError(`--observers ${path}: ${why}`)
  const exported = await importModule(path).catch((error) => {
    throw refused(`the module cannot be loaded: ${firstLineOf(error)}`)
  })
  const observers = new Map<string, DefinedObserver>()
  for (const [name, value] of Object.entries(exported)) {
    const problem = problemOfObserver(value)
    if (problem !== undefined) {
      throw refused(`its export "${name}" was not made by defineObserver. ${problem}`)
    }
    const defined = value as DefinedObserver
    if (observers.has(defined.observer)) {
      throw refused(`observer ${defined.observer} is exported twice.`)
    }
    observers.set(defined.observer, defined)
  }
  if (observers.size === 0) throw refused('the module exports no observer.')
  return [...observers.values()]
}

async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  await (await openRegular(path, MODULE_BYTES_MAX)).close()
  return await import(pathToFileURL(resolve(path)).href)
}

function firstLineOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return text.split('\n')[0] as string
}
