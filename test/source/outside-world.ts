// SPDX-License-Identifier: Apache-2.0
import type { SourceFile } from './source-file.ts'

// Below storage/ time, randomness and the rest of the world are handed in.

const TIME_AND_CHANCE = new RegExp(
  '^(Date|performance|setTimeout|setInterval|setImmediate|fetch|Math.random|crypto' +
    '|crypto.(randomUUID|getRandomValues)|process|process[.].*)$',
)
const TIME_AND_CHANCE_MODULES =
  /^node:(timers|timers\/promises|perf_hooks|process|child_process|http|https|net)$/
const CHANCE_IMPORT = /\b(randomBytes|randomUUID|randomInt|randomFill|randomFillSync|webcrypto)\b/

/** Where turns of the event loop come from. */
const TURNS = /^storage\/turns\//

/** Files below storage/ that may touch the outside, each with its reason. */
const OUTSIDE_ALLOWED: ReadonlyArray<{ readonly file: RegExp; readonly names: RegExp }> = [
  { file: /^storage\/clock\.ts$/, names: /^(performance|Date|node:timers\/promises)$/ },
  { file: /^storage\/randomness\.ts$/, names: /^random bytes$/ },
  // The group commit gathers the batches of one turn of the event loop and the view ends with it, and
  // the data directory's lock names its owner's process for the message.
  { file: /^storage\/cells\/sqlite\//, names: /^(setImmediate|process\.pid)$/ },
  // What Intl finds depends on the version of its rules, as code on that of the engine.
  { file: /^storage\/values\/words\.ts$/, names: /^process\.versions$/ },
  // A backup is copied by a process, which can be killed, and that one is a process as any program is.
  {
    file: /^storage\/cells\/sqlite\/threads\/copier(-process)?\.ts$/,
    names: /^(node:child_process|process\.(argv|connected|kill|on|send))$/,
  },
  // A turn of the event loop is no time: a simulation goes through it like any other await.
  { file: TURNS, names: /^(setImmediate|node:timers\/promises)$/ },
]

/** Time and randomness are handed in below storage/, so that a simulation can own them. */
export function findOutsideUses(file: SourceFile): string[] {
  const allowed = (name: string) =>
    OUTSIDE_ALLOWED.some((one) => one.file.test(file.path) && one.names.test(name))
  const found: Array<{ name: string; line: number }> = []
  for (const use of file.globalUses) {
    if (TIME_AND_CHANCE.test(use.name)) found.push(use)
  }
  for (const one of file.imports) {
    if (TIME_AND_CHANCE_MODULES.test(one.specifier)) {
      found.push({ name: one.specifier, line: one.line })
    }
    const isChance = one.specifier === 'node:crypto' && CHANCE_IMPORT.test(file.text)
    if (isChance) found.push({ name: 'random bytes', line: one.line })
  }
  return found
    .filter(({ name }) => !allowed(name))
    .map(({ name, line }) => `${file.path}:${line} uses ${name}, which must be handed in`)
}

/** Whoever waits for a turn of the event loop, or acts when one is over, does it by one room: the cell stores aside. */
export function findTurnsByHand({ path, globalUses, imports, text }: SourceFile): string[] {
  if (TURNS.test(path) || path.startsWith('storage/cells/')) return []
  const isImported = imports.some(({ specifier }) => specifier === 'node:timers/promises')
  const isUsed = globalUses.some(({ name }) => name === 'setImmediate')
  const isByHand = isUsed || (isImported && /\bsetImmediate\b/.test(text))
  return isByHand ? [`${path} uses setImmediate: take nextTurn or afterTurn of storage/turns`] : []
}
