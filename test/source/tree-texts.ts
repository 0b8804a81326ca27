// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** What is not written here, or not kept. */
const LEFT_OUT = new Set(['node_modules', '.git', 'data', 'dist', 'sdk-runtimes'])
const LEFT_OUT_PATHS = new Set(['bench/results', 'test/long/results'])

/** Every source file and every page below `root`, by its path with slashes; works without git. */
export function readTree(root: string): Map<string, string> {
  const tree = new Map<string, string>()
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        const name = relative(root, path).replaceAll('\\', '/')
        if (!LEFT_OUT.has(entry.name) && !LEFT_OUT_PATHS.has(name)) walk(path)
      } else if (entry.isFile() && /\.(m?[jt]s|tsx|md)$/.test(entry.name)) {
        tree.set(relative(root, path).replaceAll('\\', '/'), readFileSync(path, 'utf8'))
      }
    }
  }
  walk(root)
  return tree
}
