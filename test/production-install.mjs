// SPDX-License-Identifier: Apache-2.0

// `npm run test:install`: on a fresh copy of the tracked files, `npm ci --omit=dev` and `npm start` give a server
// that works, and the start installs nothing more. It is plain JavaScript for Node.js 18 and later and imports
// nothing but Node.js itself, because what it tests is a machine on which nothing of this project is installed.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const USAGE = `npm run test:install

Copies the tracked files to a temporary folder and does there what a stranger does: npm ci --omit=dev, npm start, a
table, a row, SIGTERM, and a second start that still has the row. Packages come from the registry that npm is
configured with. Fails by its exit code.`

const START_MS = 120_000
const STOP_MS = 30_000
const NPM = { shell: process.platform === 'win32' }
const root = dirname(dirname(fileURLToPath(import.meta.url)))

if (process.argv.length > 2) {
  const isHelp = ['-h', '--help'].includes(process.argv[2])
  console[isHelp ? 'log' : 'error'](USAGE)
  process.exit(isHelp ? 0 : 2)
}

const folder = mkdtempSync(join(tmpdir(), 'percolite-install-'))
const copy = join(folder, 'percolite')
const data = join(folder, 'data')
const env = strangersEnvironment()
/** What `npm start` began and has not ended. */
let running
try {
  await installAndServe()
} finally {
  // Its whole group: npm, its shell and the server.
  if (running !== undefined) process.kill(-running.pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}

async function installAndServe() {
  copyTrackedFiles()
  done('copied the tracked files')

  const installed = spawnSync('npm', ['ci', '--omit=dev'], {
    ...NPM,
    cwd: copy,
    env,
    encoding: 'utf8',
  })
  assert.equal(installed.status, 0, `npm ci failed\n${installed.stdout}${installed.stderr}`)
  const packages = installedPackages()
  const locked = JSON.parse(readFileSync(join(copy, 'package-lock.json'), 'utf8')).packages
  for (const [path, { dev }] of Object.entries(locked)) {
    assert.ok(!dev || !existsSync(join(copy, path)), `${path} is for development`)
  }
  done('npm ci --omit=dev')

  const first = await start()
  await query(first.url, 'CREATE TABLE greeting (id INTEGER PRIMARY KEY, word TEXT)')
  await query(first.url, "INSERT INTO greeting (id, word) VALUES (1, 'hello')")
  await stop(first)
  done('npm start, a table and a row, SIGTERM')

  const second = await start()
  const { results } = await query(second.url, 'GET * FROM greeting WHERE id = 1')
  assert.deepEqual(results.at(-1).rows, [{ id: 1, word: 'hello' }])
  await stop(second)
  done('npm start again, and the row is there')

  assert.equal(installedPackages(), packages, 'npm start has installed something')
}

/** As the files are now, so that it can be run before a commit. An exported tree has no index and is copied whole. */
function copyTrackedFiles() {
  const listed = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  if (listed.status !== 0) {
    const isTracked = (path) => !/[\\/](node_modules|data|\.git)$/.test(path.slice(root.length))
    cpSync(root, copy, { recursive: true, filter: isTracked })
    return
  }
  for (const path of listed.stdout.split('\0')) {
    if (path !== '' && existsSync(join(root, path))) cpSync(join(root, path), join(copy, path))
  }
}

/**
 * The environment without what `npm run` put into it: the programs of this folder's packages and the names of this
 * script. What configures npm stays, so that the copy uses the same registry and trusts the same certificates.
 */
function strangersEnvironment() {
  const ofThisRun =
    /^(npm_(package|lifecycle|execpath|node_execpath|command|config_local_prefix)|INIT_CWD)/
  const kept = Object.entries(process.env).filter(
    ([name]) => !ofThisRun.test(name) && !/^(PERCOLITE_|NODE_(?!EXTRA_CA_CERTS))/.test(name),
  )
  const path = (process.env.PATH ?? '').split(delimiter)
  const PATH = path.filter((entry) => !/node_modules|node-gyp-bin/.test(entry)).join(delimiter)
  return { ...Object.fromEntries(kept), PATH }
}

function installedPackages() {
  return readFileSync(join(copy, 'node_modules', '.package-lock.json'), 'utf8')
}

/** Resolves to the server once it says its URL. */
async function start() {
  const args = ['start', '--', '--port', '0', '--data', data, '--log-format', 'json']
  // A group of its own, so that everything that npm starts can be ended by its number.
  const child = spawn('npm', args, { ...NPM, cwd: copy, env, detached: true })
  running = child
  let said = ''
  const ended = new Promise((resolve) => child.once('close', (code) => resolve(code)))
  const url = await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`no URL within ${START_MS} ms`)), START_MS)
    const read = (chunk) => {
      said += chunk
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said)
      if (found === null) return
      clearTimeout(late)
      resolve(found[0])
    }
    child.stdout.setEncoding('utf8').on('data', read)
    child.stderr.setEncoding('utf8').on('data', read)
    ended.then((code) => {
      clearTimeout(late)
      running = undefined
      reject(new Error(`npm start ended with ${code}:\n${said}`))
    })
  })
  assert.doesNotMatch(said, /installing/, 'npm start installed something')
  return { url, child, ended, said: () => said }
}

async function stop({ child, ended, said }) {
  child.kill('SIGTERM')
  const late = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), STOP_MS)
  const code = await ended
  clearTimeout(late)
  assert.equal(code, 0, `the server ended with ${code}:\n${said()}`)
}

async function query(url, sql) {
  const answer = await fetch(`${url}/v1/query`, { method: 'POST', body: sql })
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  return JSON.parse(text)
}

function done(step) {
  console.log(`${(performance.now() / 1_000).toFixed(1).padStart(6)} s  ${step}`)
}
