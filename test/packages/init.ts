// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { freePorts } from '../../bench/servers/child-server.ts'
import { node24 } from '../../tools/other-runtimes.ts'
import { chromiumSkipReason, launchChromium } from '../browser/chromium.ts'
import { testFolder } from '../test-folder.ts'
import { npmSettings, packed, Stranger, serversPackages } from './stranger.ts'

// From an empty folder to a page that somebody is signed in to, by what `percolite init` makes.

const MINUTES_MAX = 5
const MADE_MS_MAX = 200_000
const SHOWN_MS = 20_000

const folder = await testFolder({ after }, 'init')
const maker = new Stranger(join(folder, 'maker'), node24())
const env = { ...maker.terminal.env, ...npmSettings() }
const packages = join(folder, 'packages')

describe('percolite init', () => {
  it('makes a signed-in live page of an empty folder within minutes', async (t) => {
    const startedMs = performance.now()
    const tarballs = [await packed(packages), await packed(packages, 'client-sdk')]
    await maker.install(tarballs.slice(0, 1), await serversPackages())
    await makeApp(
      'shop',
      'tasks',
      async (page) => {
        await page.getByLabel('A task').fill('milk')
        await page.getByRole('button', { name: 'Add' }).click()
        await page.getByLabel('milk').click({ timeout: SHOWN_MS })
        await page.getByRole('checkbox', { checked: true }).waitFor({ timeout: SHOWN_MS })
      },
      t,
    )
    const minutes = (performance.now() - startedMs) / 60_000
    t.diagnostic(
      `4 commands, ${minutes.toFixed(1)} minutes, the packing, the tests and the types included`,
    )
    assert.ok(minutes < MINUTES_MAX)
  })

  it('makes a board whose edits show at once', async (t) => {
    await makeApp(
      'plans',
      'board',
      async (page) => {
        await page.getByLabel('A card').fill('paint')
        await page.getByRole('button', { name: 'Add' }).click()
        const [todo, doing] = ['todo', 'doing'].map((name) => page.getByRole('region', { name }))
        await todo?.getByRole('button', { name: 'to doing' }).click({ timeout: SHOWN_MS })
        await doing?.getByText('paint (ann)').waitFor({ timeout: SHOWN_MS })
      },
      t,
    )
  })

  it('makes an auction whose lots close by themselves', async (t) => {
    await makeApp(
      'auction',
      'auction',
      async (page) => {
        await page.getByLabel('A lot').fill('vase')
        await page.getByLabel('ends in').fill('6')
        await page.getByRole('button', { name: 'Put up' }).click()
        await page.getByLabel('Your bid').fill('12.50', { timeout: SHOWN_MS })
        await page.getByRole('button', { name: 'Bid' }).click()
        await page.getByText('12.50 by ann').waitFor({ timeout: SHOWN_MS })
        await page.getByText('sold to ann for 12.50').waitFor({ timeout: SHOWN_MS })
      },
      t,
    )
  })
})

type Steps = (page: Page) => Promise<void>

/** Makes an app, checks its types, runs its tests, starts it, and takes steps on its page as somebody signed in. */
async function makeApp(
  name: string,
  template: string,
  steps: Steps,
  t: TestContext,
): Promise<void> {
  await run('percolite', ['init', name, '--template', template, '--packages', packages], folder)
  const app = join(folder, name)
  await run('npm', ['run', 'check'], app)
  await run('npm', ['test'], app)
  const [pagePort, databasePort] = await freePorts(2)
  const origin = `http://localhost:${pagePort}`
  await startDev(t, app, { ORIGIN: origin, DATABASE: `http://localhost:${databasePort}` })
  const missing = chromiumSkipReason()
  if (missing !== false) return t.diagnostic(`no page was opened: ${missing}`)
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ locale: 'en-US' })
    const faults: string[] = []
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) faults.push(message.text())
    })
    page.on('pageerror', (error) => faults.push(String(error)))
    await page.goto(origin)
    await page.getByLabel('Your name').fill('ann')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Signed in as ann').waitFor({ timeout: SHOWN_MS })
    await steps(page)
    assert.deepEqual(faults, [])
  } finally {
    await browser.close()
  }
}

async function run(program: string, args: readonly string[], cwd: string): Promise<void> {
  const done = promisify(execFile)(program, args, { cwd, env, timeout: MADE_MS_MAX })
  await done.catch(({ stdout, stderr, message }) => assert.fail(`${message}\n${stdout}${stderr}`))
}

async function startDev(t: TestContext, cwd: string, addresses: Readonly<Record<string, string>>) {
  const dev = spawn('node', ['dev.ts'], { cwd, env: { ...env, ...addresses } })
  t.after(() => stopped(dev))
  let output = ''
  const take = (chunk: Buffer) => {
    output += chunk
  }
  dev.stdout.on('data', take)
  dev.stderr.on('data', take)
  const over = once(dev, 'close')
  while (!output.includes('app at')) {
    assert.equal(dev.exitCode, null, output)
    await Promise.race([once(dev.stdout, 'data'), over])
  }
}

/** The app and its database end with SIGTERM. */
async function stopped(dev: ChildProcess): Promise<void> {
  if (dev.exitCode !== null) return
  const closed = once(dev, 'close')
  dev.kill('SIGTERM')
  await closed
}
