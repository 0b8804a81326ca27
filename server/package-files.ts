// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs'

// This folder and dist/, where the compiled code is, both lie in the root of the package.
const ROOT = new URL('../', import.meta.url)

/** The text of a file of the package, such as `openapi.yaml`. */
export function readPackageFile(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8')
}

export function packageVersion(): string {
  return JSON.parse(readPackageFile('package.json')).version
}
