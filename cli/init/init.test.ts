// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { exitCode, run } from '../../test/cli/run-command.ts'
import { testFolder } from '../../test/test-folder.ts'

// That what it makes runs is tested with the packages, by test/packages/init.ts.

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

test('it makes an app of that name, and says what to do next', async (t) => {
  const folder = join(await testFolder(t, 'init'), 'My Shop')
  const made = run(t, 'init', folder, '--template', 'board', '--no-install')
  assert.equal(await exitCode(made), 0, made.errors())
  assert.match(made.output(), /npm install\n {2}npm run dev\n {2}npm test\n$/)
  const { name, dependencies } = json(join(folder, 'package.json'))
  assert.equal(name, 'my-shop')
  assert.ok('fastify' in dependencies && '@tanstack/db' in dependencies)
  assert.ok(readdirSync(folder).includes('.gitignore'))
  assert.ok(!readdirSync(folder).includes('gitignore'))
  assert.match(readFileSync(join(folder, 'index.html'), 'utf8'), /<title>my-shop</)
})

test('packages of a folder come along', async (t) => {
  const root = await testFolder(t, 'init')
  const packages = join(root, 'packages')
  mkdirSync(packages)
  const refused = run(t, 'init', join(root, 'one'), '--packages', packages)
  assert.equal(await exitCode(refused), 2)
  assert.match(
    refused.errors(),
    /There is no percolite-[\d.]+\.tgz in .*packages: npm pack makes it/,
  )
  const { version } = json('package.json')
  for (const name of ['percolite', 'percolite-client']) {
    writeFileSync(join(packages, `${name}-${version}.tgz`), name)
  }
  const made = run(t, 'init', join(root, 'one'), '--packages', packages, '--no-install')
  assert.equal(await exitCode(made), 0, made.errors())
  const { dependencies } = json(join(root, 'one', 'package.json'))
  assert.equal(dependencies.percolite, `file:packages/percolite-${version}.tgz`)
  assert.equal(readdirSync(join(root, 'one', 'packages')).length, 2)
})

test('what is there already is left alone', async (t) => {
  const folder = await testFolder(t, 'init')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'mine.txt'), 'mine')
  for (const [words, said] of [
    [[folder], /is not empty\. Nothing was changed/],
    [[], /It needs the folder to make/],
    [[join(folder, 'a'), '--template', 'shop'], /tasks, board or auction|--template/],
  ] as const) {
    const refused = run(t, 'init', ...words)
    assert.equal(await exitCode(refused), 2)
    assert.match(refused.errors(), said)
  }
  assert.deepEqual(readdirSync(folder), ['mine.txt'])
})

test('its packages are of the versions that this project is tested with', () => {
  const own = json('package.json')
  const known = { ...own.dependencies, ...own.devDependencies }
  for (const template of ['base', 'board']) {
    const { dependencies, devDependencies } = json(`templates/${template}/package.json`)
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      assert.match(String(version), /^\d+\.\d+\.\d+$/)
      // The compiler goes by another name here.
      if (name in known && name !== 'typescript') assert.equal(version, known[name], name)
    }
  }
})
