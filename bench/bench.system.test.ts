// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testFolder } from '../test/test-folder.ts'
import type { Report } from './report/report.ts'
import { startCommand, THIS_TREE } from './servers/percolite-server.ts'
import { SUITES } from './suites.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))

async function bench(...words: string[]) {
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [code, said, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  return { code, said, errors }
}

test('stores in the process of the bench have the V8 of a server', async () => {
  const { scripts } = JSON.parse(await readFile(join(THIS_TREE, 'package.json'), 'utf8'))
  const { nodeFlags } = startCommand()
  assert.equal(scripts.bench, `exec sh tools/run.sh ${nodeFlags.join(' ')} bench/main.ts`)
})

test('the list of benchmarks tells what each is, in columns', async () => {
  const { code, said } = await bench('--help')
  assert.equal(code, 0)
  const rows = said.split('\n').filter((line) => line.startsWith('  '))
  const names = rows.map((line) => line.trim().split(' ', 1)[0])
  assert.deepEqual(names, Object.keys(SUITES))
  const starts = rows.map((line) => /^ {2}\S+ {2,}/.exec(line)?.[0].length)
  assert.equal(new Set(starts).size, 1, said)
  assert.notEqual(starts[0], undefined, said)
})

test('a tiny run measures, judges, and leaves a report, its JSON and its plots', async (t) => {
  const folder = await testFolder(t, 'bench-test')
  const out = join(folder, 'out')
  const json = join(folder, 'copy.json')
  const size = ['--seconds', '0.05', '--repetitions', '3', '--rows', '1000']
  const chosen = ['--only', 'writers', '--only', 'figure-8']
  const places = ['--out', out, '--data', folder, '--json', json]
  const { code, said, errors } = await bench('micro', ...size, ...chosen, ...places)
  assert.equal(code, 0, errors)
  assert.match(errors, /\[1\/\d+\] writers: prepares 1 writer\n/)

  const report = JSON.parse(await readFile(join(out, 'report.json'), 'utf8')) as Report
  assert.deepEqual(report, JSON.parse(await readFile(json, 'utf8')))
  assert.deepEqual(
    report.experiments.map(({ name, contenders, goals }) => [
      name,
      contenders.length,
      goals.length,
    ]),
    [
      ['writers', 2, 1],
      ['figure-8', 5, 3],
    ],
  )
  assert.ok(report.machine.cores > 0 && report.versions.sqlite !== undefined)
  for (const { contenders, goals } of report.experiments) {
    for (const { name, samples, figures } of contenders) {
      assert.equal(samples.length, 3, name)
      assert.ok((figures.operationsPerSecond?.min ?? 0) > 0, name)
    }
    for (const { what, values, verdict, measured } of goals) {
      assert.equal(values.length, 3, what)
      assert.ok(measured.min > 0 && measured.lower <= measured.median, what)
      assert.match(said, new RegExp(`${what.replaceAll('/', '\\/')}.*${verdict}`))
    }
  }
  assert.match(said, /Percolator 14,590\/s, relative 0\.94/)
  assert.ok(said.startsWith(await readFile(join(out, 'report.txt'), 'utf8')))

  for (const name of ['writers', 'figure-8', 'figure-8-rates']) {
    const svg = await readFile(join(out, `${name}.svg`), 'utf8')
    assert.match(svg, /^<svg [\s\S]*<\/svg>$/, name)
    assert.doesNotMatch(svg, /NaN|undefined|Infinity/, name)
  }
  assert.match(await readFile(join(out, 'figure-8.svg'), 'utf8'), />paper</)
  assert.deepEqual((await readdir(folder)).sort(), ['copy.json', 'out'])
})

test('a benchmark that does not exist is refused with the list of those that do', async () => {
  const { code, errors } = await bench('macro')
  assert.equal(code, 2)
  assert.match(errors, /^There is no benchmark "macro"; there are .*micro.*scale/)
})

test('Ctrl-C stops a run, removes its data and reports nothing', async (t) => {
  const folder = await testFolder(t, 'bench-test')
  const size = ['--seconds', '30', '--rows', '1000', '--only', 'writers']
  const places = ['--data', folder, '--out', join(folder, 'out')]
  const child = spawn(process.execPath, [MAIN, 'micro', ...size, ...places], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk
    if (chunk.includes('warm-up')) child.kill('SIGINT')
  })
  assert.equal(await ended, 130, errors)
  assert.match(errors, /Stopped; nothing is reported\.\n$/)
  assert.deepEqual(await readdir(folder), [])
})
