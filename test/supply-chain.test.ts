// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

type Package = {
  readonly version?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'))
const packages = Object.entries(lock.packages as Record<string, Package>)

/** Packages that run something when they are installed; each was looked at. */
const WITH_SCRIPTS = new Set(['esbuild', 'protobufjs'])

test('every package is locked to its bytes, and asked for by one exact version', () => {
  const own = packages.filter(([path]) => !path.includes('node_modules/'))
  assert.ok(own.length >= 2 && packages.length > 100)
  for (const [path, { integrity, link }] of packages) {
    if (!path.includes('node_modules/') || link === true) continue
    assert.match(integrity ?? '', /^sha512-/, path)
  }
  for (const [path, { dependencies, devDependencies, optionalDependencies }] of own) {
    const asked = { ...dependencies, ...devDependencies, ...optionalDependencies }
    for (const [name, version] of Object.entries(asked)) {
      assert.match(
        version,
        /^(?:\d+\.\d+\.\d+(?:-[\w.]+)?|\*|file:.*|npm:.*@\d.*)$/,
        `${path} ${name} ${version}`,
      )
    }
  }
})

test('no package runs anything when it is installed, but for those that were looked at', () => {
  const running = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true)
  const names = running.map(([path]) => path.replace(/^.*node_modules\//, ''))
  assert.deepEqual(
    names.filter((name) => !WITH_SCRIPTS.has(name)),
    [],
  )
})
