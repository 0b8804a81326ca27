// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const RUNTIMES = fileURLToPath(new URL('sdk-runtimes/', import.meta.url))
const PLATFORM = 'linux-x64'

/** A version of Node.js by the name of its package, and its program. */
export type Runtime = { readonly name: string; readonly node: string }

/** The versions beside that of the project, by the names of their packages. */
export function otherRuntimes(): readonly Runtime[] {
  const { dependencies } = jsonOf(join(RUNTIMES, 'package.json'))
  const names = Object.keys(dependencies as object)
  if (`${process.platform}-${process.arch}` !== PLATFORM) {
    console.log(
      `Only this Node.js (${process.version}) is tested here: the packages of ${names.join(' and ')} in ` +
        `tools/sdk-runtimes are for ${PLATFORM}, and this is ${process.platform}-${process.arch}.`,
    )
    return []
  }
  if (!isInstalled()) {
    const options = ['ci', '--workspaces=false', '--no-audit', '--no-fund', '--loglevel=error']
    const { status, error } = spawnSync('npm', options, { cwd: RUNTIMES, stdio: 'inherit' })
    if (status !== 0) {
      throw new Error(`npm ci in ${RUNTIMES} failed: ${error?.message ?? `exit code ${status}`}`)
    }
  }
  return names.map((name) => ({ name, node: join(RUNTIMES, 'node_modules', name, 'bin', 'node') }))
}

/** The program of the oldest Node.js that the server's package is for; elsewhere than on Linux, this one. */
export function node24(): string {
  return otherRuntimes().find(({ name }) => name.includes('24'))?.node ?? process.execPath
}

/** Compares what the lock asks for with what npm says it installed. */
function isInstalled(): boolean {
  const wanted = jsonOf(join(RUNTIMES, 'package-lock.json')).packages as Packages
  try {
    const installed = jsonOf(join(RUNTIMES, 'node_modules', '.package-lock.json'))
      .packages as Packages
    return Object.entries(wanted).every(
      ([path, { version }]) => path === '' || installed[path]?.version === version,
    )
  } catch {
    return false
  }
}

type Packages = Readonly<Record<string, { readonly version: string }>>

function jsonOf(file: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(file, 'utf8'))
}
