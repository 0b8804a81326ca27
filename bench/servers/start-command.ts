// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const THIS_TREE = fileURLToPath(new URL('../..', import.meta.url))

/**
 * What `npm start` of a checkout runs, for those who start its server themselves:
 * `node …nodeFlags main serve`, without the cache of compiled code, which is only for the start. Throws
 * when its package.json says something else.
 */
export function startCommand(tree = THIS_TREE): {
  readonly nodeFlags: readonly string[]
  readonly main: string
} {
  const { scripts } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8'))
  const call = /exec node (.*?)(\w+\/\w+\.ts) serve$/.exec(scripts.start)
  const [, flags, main] = call ?? []
  if (flags === undefined || main === undefined) {
    throw new Error(`${tree}: "${scripts.start}" is not understood`)
  }
  return { nodeFlags: flags.split(' ').filter((word) => word !== ''), main: join(tree, main) }
}
