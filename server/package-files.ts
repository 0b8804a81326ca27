// SPDX-License-Identifier: Apache-2.0
import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// This folder and dist/, where the compiled code is, both lie in the root of the package.
const ROOT = new URL('../', import.meta.url)

/** The text of a file of the package, such as `openapi.yaml`. */
export function readPackageFile(path: string): string {
  return readPackageBytes(path).toString('utf8')
}

export function readPackageBytes(path: string): Buffer {
  return readFileSync(new URL(path, ROOT))
}

/** Where a file or folder of the package is. */
export function packageFilePath(path: string): string {
  return fileURLToPath(new URL(path, ROOT))
}

/** When a file of the package was written, in milliseconds since 1970; undefined where there is none. */
export function packageFileTimeMs(path: string): number | undefined {
  return statSync(new URL(path, ROOT), { throwIfNoEntry: false })?.mtimeMs
}

export function isConsoleBuilt(): boolean {
  return packageFileTimeMs('console/dist/files.json') !== undefined
}

export function packageVersion(): string {
  return JSON.parse(readPackageFile('package.json')).version
}
