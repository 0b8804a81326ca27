// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { assertOwn, ChildServer, WrongServer } from './child-server.ts'
import { installedExecutable } from './executable.ts'
import { testFolder } from './peer-tests.ts'
import { cpuSecondsOfTree } from './process-figures.ts'

const never = () => Promise.reject(new Error('not yet'))

test('a server that ends while it starts is reported with the end of its log', async (context) => {
  const folder = await testFolder(context, 'child-test')
  const program = 'console.error("the disk is gone"); process.exit(3)'
  await assert.rejects(
    ChildServer.start({
      name: 'brittle',
      program: process.execPath,
      args: ['-e', program],
      folder,
      ready: never,
    }),
    /brittle ended with 3; its log ends in:\nthe disk is gone/,
  )
})

test('a stranger that answers in place of the server is refused, and ours is stopped', {
  timeout: 30_000,
}, async (context) => {
  const folder = await testFolder(context, 'child-test')
  let pid = 0
  const program = 'console.log(process.pid); setInterval(() => {}, 1000)'
  await assert.rejects(
    ChildServer.start({
      name: 'ours',
      program: process.execPath,
      args: ['-e', program],
      folder,
      ready: async (log) => {
        pid = Number(/\d+/.exec(log)?.[0])
        if (!(pid > 0)) await never()
        assertOwn('ours', pid + 1, pid)
      },
    }),
    WrongServer,
  )
  await ended(pid, context.signal)
})

test('a server ends with a benchmark that is killed', {
  skip: installedExecutable('setpriv') === undefined && 'setpriv is not installed here',
  timeout: 30_000,
}, async (context) => {
  const folder = await testFolder(context, 'child-test')
  const module = JSON.stringify(new URL('./child-server.ts', import.meta.url).href)
  const order = `{ name: 'ours', program: process.execPath, folder: ${JSON.stringify(folder)},
    args: ['-e', 'console.log("up"); setInterval(() => {}, 1000)'],
    ready: async (log) => { if (log === '') throw new Error('not yet') } }`
  const benchmark = `import(${module}).then(async ({ ChildServer }) => {
    console.log((await ChildServer.start(${order})).pid)
    setInterval(() => {}, 1000)
  })`
  const child = spawn(process.execPath, ['-e', benchmark], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  await ended(Number(line), context.signal)
})

/** Resolves when there is no such process, or only its entry in the table of a parent that waits. */
async function ended(pid: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    try {
      process.kill(pid, 0)
      if (readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')) return
    } catch {
      return
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test('the CPU time of a process holds that of its children', {
  skip: process.platform !== 'linux' && 'only Linux tells it in /proc',
}, async () => {
  const burn = `while (process.cpuUsage().user < 500_000);
    console.log('burnt')
    setInterval(() => {}, 1000)`
  const parent = `const { spawn } = require('node:child_process')
    const child = spawn(process.execPath, ['-e', ${JSON.stringify(burn)}], { stdio: 'inherit' })
    process.stdin.resume().on('end', () => child.kill('SIGKILL') && process.exit())`
  const child = spawn(process.execPath, ['-e', parent], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    await once(child.stdout, 'data')
    const seconds = cpuSecondsOfTree(child.pid as number)
    assert.ok(Number(seconds) >= 0.5, `${seconds} s`)
    assert.equal(cpuSecondsOfTree(2 ** 30), undefined)
  } finally {
    child.stdin.end()
    await once(child, 'exit')
  }
})
