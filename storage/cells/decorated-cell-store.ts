// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from './cell-store.ts'
import type { EmbeddedCellStore } from './embedded-cell-store.ts'

/** The store with these of its methods replaced. All others, also those that not every engine has, are its own. */
export function decoratedStore(
  inner: CellStore,
  replaced: Partial<Pick<EmbeddedCellStore, ReplacedMethod>>,
): CellStore {
  return new Proxy(inner, {
    get(target, name) {
      if (Object.hasOwn(replaced, name)) return Reflect.get(replaced, name)
      const own: unknown = Reflect.get(target, name, target)
      // A method looks into private fields, which only the store itself has.
      return typeof own === 'function' ? own.bind(target) : own
    },
  })
}

type ReplacedMethod =
  | Exclude<keyof CellStore, 'atomicScope' | 'limits' | 'requestsSent' | 'memtables'>
  | 'applyAtomically'
