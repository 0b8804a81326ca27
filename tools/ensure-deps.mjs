// SPDX-License-Identifier: Apache-2.0

// Runs before `npm start` and `npm test`, so that each of them works alone on a fresh clone. It is
// plain JavaScript for Node.js 18 and later and imports nothing but Node.js itself: when it runs,
// nothing may be installed yet, and the Node.js that runs it may be the machine's own old one.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MINIMUM_NODE = [24, 12]
const INSTALL_WAIT_MS = 10 * 60_000

// What runs the server needs no development tools, where somebody chose to leave them out.
const isForProduction = process.argv.includes('--production')
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const installMark = join(root, '.ensure-deps.pid')

if (!isInstalled()) withInstallMark(() => isInstalled() || install())
checkNode()

/**
 * Compares what the lock asks for with what npm says it installed. Contents are compared and not
 * file times, so that changing branches, copying the tree or touching the lock installs nothing.
 */
function isInstalled() {
  const wanted = packagesIn('package-lock.json')
  const installed = packagesIn('node_modules/.package-lock.json')
  if (wanted === undefined || installed === undefined) return false
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '') continue
    const found = installed[path]
    if (found === undefined) {
      if (entry.optional) continue // A package for another platform.
      if (isForProduction && entry.dev) continue // Left out by `npm ci --omit=dev`.
      return false
    }
    if (found.version !== entry.version || found.integrity !== entry.integrity) return false
  }
  return Object.keys(installed).every((path) => path in wanted)
}

function packagesIn(lock) {
  try {
    return JSON.parse(readFileSync(join(root, lock), 'utf8')).packages
  } catch {
    return undefined
  }
}

function install() {
  const startedMs = Date.now()
  process.stderr.write('percolite: installing the dependencies (npm ci) …')
  // What develops and tests the project is wanted even where NODE_ENV or an npm setting leaves it
  // out, and the packaged Node.js is an optional dependency.
  const options = ['ci', '--include=dev', '--include=optional', '--loglevel=error']
  const npm = process.env.npm_execpath
  const ran =
    npm !== undefined && /\.c?js$/.test(npm)
      ? spawnSync(process.execPath, [npm, ...options], { cwd: root, encoding: 'utf8' })
      : spawnSync('npm', options, {
          cwd: root,
          encoding: 'utf8',
          shell: process.platform === 'win32',
        })
  if (ran.status === 0 && isInstalled()) {
    process.stderr.write(` done in ${((Date.now() - startedMs) / 1000).toFixed(1)} s\n`)
    return
  }
  process.stderr.write(` failed\n${ran.stdout ?? ''}${ran.stderr ?? ''}`)
  if (ran.error) process.stderr.write(`${ran.error.message}\n`)
  fail('`npm ci` did not install the dependencies; its messages stand above.')
}

/** Two first commands at once (`npm start` in one terminal, `npm test` in the other) install once. */
function withInstallMark(work) {
  const deadlineMs = Date.now() + INSTALL_WAIT_MS
  let isWaiting = false
  while (!takeInstallMark()) {
    if (!isWaiting) process.stderr.write('percolite: waiting for another installation …\n')
    isWaiting = true
    if (Date.now() > deadlineMs) {
      fail(`another installation does not end; if there is none, delete ${installMark}`)
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  }
  // `fail` leaves the process by `process.exit`, past any `finally`.
  process.once('exit', () => rmSync(installMark, { force: true }))
  work()
  rmSync(installMark, { force: true })
}

function takeInstallMark() {
  try {
    writeFileSync(installMark, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') fail(`the project's folder cannot be written: ${error.message}`)
  }
  const owner = Number(readInstallMark())
  // An empty mark is one whose owner is about to write its process id.
  if (owner > 0 && !isAlive(owner)) rmSync(installMark, { force: true })
  return false
}

function readInstallMark() {
  try {
    return readFileSync(installMark, 'utf8')
  } catch {
    return ''
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** The npm scripts run whichever `node` stands first in their path; this is about that one. */
function checkNode() {
  const packaged = join(
    root,
    'node_modules',
    '.bin',
    process.platform === 'win32' ? 'node.cmd' : 'node',
  )
  if (!existsSync(packaged)) {
    if (isRecent(process.version)) return
    fail(
      `there is no packaged Node.js for ${process.platform}-${process.arch}: install Node.js ` +
        `${MINIMUM_NODE.join('.')} or newer (this one is ${process.version}).`,
    )
  }
  const ran = spawnSync(packaged, ['--version'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (ran.status !== 0) {
    fail(
      `the packaged Node.js does not run on this ${process.platform}-${process.arch} system ` +
        `(${ran.error?.code ?? (ran.stderr.trim() || `exit status ${ran.status}`)}): ` +
        `install Node.js ${MINIMUM_NODE.join('.')} or newer and delete ${packaged}`,
    )
  }
  const version = ran.stdout.trim()
  if (!isRecent(version)) {
    fail(
      `Node.js ${MINIMUM_NODE.join('.')} or newer is needed, and node_modules/.bin/node is ` +
        `${version}: delete node_modules and run this again.`,
    )
  }
}

function isRecent(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number)
  return major > MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor >= MINIMUM_NODE[1])
}

function fail(message) {
  process.stderr.write(`percolite: ${message}\n`)
  process.exit(1)
}
