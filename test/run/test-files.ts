// SPDX-License-Identifier: Apache-2.0
import { globSync } from 'node:fs'
import { RANDOM_TESTS, roomOf } from './rooms.ts'

// Those of templates are tests of the apps that percolite init makes.
const LEFT_OUT = /(^|\/)(node_modules|dist|templates)\//

/** The test files below `root`, with slashes: those of `npm test`, or of `npm run test:system`. */
export function testFiles(root: string, isSystem: boolean): string[] {
  return globSync('**/*.test.ts', { cwd: root, exclude: (path) => LEFT_OUT.test(`${path}/`) })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.system.test.ts') === isSystem)
    .concat(isSystem ? RANDOM_TESTS : [])
    .sort()
}

/** Files by their rooms. Throws an Error that names a file without one. */
export function byRoom(files: readonly string[]): Map<string, string[]> {
  const rooms = new Map<string, string[]>()
  for (const file of files) {
    const room = roomOf(file)
    if (room === undefined) throw new Error(`${file} has no room: add one to test/run/rooms.ts`)
    rooms.set(room, [...(rooms.get(room) ?? []), file])
  }
  return rooms
}
