// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { chromiumSkipReason } from '../browser/chromium.ts'
import { TokenServer } from '../server/token-server.ts'
import { type BuiltFile, buildConsole } from './built-console.ts'
import { ConsoleScene, endOfGroup } from './console-scene.ts'

describe('a view of the console, in Chromium', { skip: chromiumSkipReason() }, () => {
  const end = endOfGroup()
  let scene: ConsoleScene
  before(async () => {
    scene = await ConsoleScene.start(end)
  })

  it('has an address, and is walked to by the arrows', async () => {
    const { page } = await scene.look('')
    const chosen = page.getByRole('tab', { selected: true })
    await chosen.waitFor()
    const count = await page.getByRole('tab').count()
    await chosen.focus()
    const seen = new Set<string>()
    for (let at = 0; at < count; at += 1) {
      const before = page.url()
      await page.keyboard.press('ArrowRight')
      await page.waitForURL((url) => url.href !== before)
      seen.add(page.url())
    }
    assert.equal(seen.size, count)
    await page.locator('.cm-content').waitFor()
    assert.equal(await page.locator(':focus').getAttribute('role'), 'tab')
    await page.goBack()
    await page.context().close()
  })

  it('that fails says so in its place, and leaves the others as they are', async () => {
    const look = await scene.look('#/status')
    const { page } = look
    await page.route('**/v1/observers', (route) => route.fulfill({ json: { observers: [{}] } }))
    await page.getByRole('tab', { name: 'Observers' }).click()
    await page.getByRole('alert').getByText('undefined').waitFor()
    await look.requireClean()
    await page.getByRole('tab', { name: 'Status' }).click()
    await page.getByRole('heading', { name: 'Store' }).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await page.context().close()
  })
})

describe('the console of a server that asks for tokens, in Chromium', {
  skip: chromiumSkipReason(),
}, () => {
  let tokens: TokenServer
  const end = endOfGroup()
  let scene: ConsoleScene
  before(async () => {
    tokens = await TokenServer.start(end)
    await tokens.query('CREATE TABLE account (id TEXT PRIMARY KEY)')
    await tokens.query('CREATE ROLE reader')
    await tokens.query('GRANT READ ON account TO reader WHERE id = token.sub')
    await tokens.query("INSERT INTO account (id) VALUES ('ann'), ('bob')")
    scene = await ConsoleScene.of(end, tokens.server)
  })
  const readersToken = (name: string) =>
    tokens.made(`CREATE TOKEN ${name} ROLE reader EXPIRES IN 1 DAY`)

  it('asks for one, keeps it in its tab alone, and puts it in no address', async () => {
    const look = await scene.look('#/status')
    const { page } = look
    await page.getByLabel('Token').fill('pct_wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('does not take this token').waitFor()
    await page.getByLabel('Token').fill(tokens.token)
    await page.keyboard.press('Enter')
    await page.getByText('role admin').waitFor()
    await page.getByRole('heading', { name: 'Store' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Store' }).waitFor()
    assert.deepEqual(
      look.urls.filter((url) => url.includes('pct_')),
      [],
    )
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByLabel('Token').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Token').waitFor()
    assert.equal(await page.evaluate('sessionStorage.length'), 0)
    await page.context().close()
  })

  it('says what a role may not see, in place of the view, and asks nothing for it', async () => {
    const look = await scene.look('#/status')
    const { page } = look
    await page.getByLabel('Token').fill(await readersToken('reader1'))
    await page.keyboard.press('Enter')
    await page.getByText('This needs the right inspect, which the role reader lacks.').waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    assert.deepEqual(
      look.urls.filter((url) => url.includes('/v1/status')),
      [],
    )
    await page.context().close()
  })

  it('shows each principal the rows that are theirs, and completes no name beyond', async () => {
    await tokens.query('CREATE TABLE secret (id TEXT PRIMARY KEY)')
    for (const name of ['ann', 'bob']) {
      const { page } = await scene.look('#/query?sql=SCAN * FROM account USE PRIMARY KEY')
      await page.getByLabel('Token').fill(await readersToken(name))
      await page.keyboard.press('Enter')
      await page.locator('.cm-content').getByText('SCAN').waitFor()
      await page.locator('.cm-content').click()
      await page.keyboard.press('Control+Enter')
      await page.getByRole('cell', { name, exact: true }).waitFor()
      await page.getByText('1 row', { exact: true }).waitFor()
      await page.keyboard.press('Control+a')
      await page.keyboard.insertText('DESCRIBE ')
      await page.keyboard.press('Control+Space')
      await page.locator('.cm-tooltip-autocomplete').getByText('account').waitFor()
      assert.equal(await page.getByText('secret').count(), 0)
      assert.equal(await page.getByLabel('Moment within the retention').count(), 0)
      await page.context().close()
    }
  })

  it('asks again when the token has been taken away', async () => {
    const { page } = await scene.look('#/status')
    const token = await tokens.made('CREATE TOKEN gone ROLE admin EXPIRES IN 1 DAY')
    await page.getByLabel('Token').fill(token)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Store' }).waitFor()
    await tokens.query('DROP TOKEN gone')
    await page.getByRole('alert').getByText('any more').waitFor()
    assert.equal(await page.evaluate('sessionStorage.length'), 0)
    await page.context().close()
  })
})

/** Bytes by gzip of a file and of what it cannot do without, but for what was loaded before. */
function loadOf(
  files: readonly BuiltFile[],
  from: string,
  before: ReadonlySet<string>,
): Set<string> {
  const loaded = new Set<string>()
  const add = (name: string): void => {
    if (loaded.has(name) || before.has(name)) return
    loaded.add(name)
    for (const one of files.find((file) => file.name === name)?.imports ?? []) add(one)
  }
  const [first] = files.filter((file) => file.from === from)
  assert.ok(first, from)
  add(first.name)
  return loaded
}

describe('the console by its size', () => {
  const { files } = buildConsole()
  const kB = (names: Iterable<string>) =>
    [...names].reduce(
      (sum, name) => sum + (files.find((file) => file.name === name)?.gzip ?? 0),
      0,
    ) / 1_000
  const page = loadOf(files, 'console/console.tsx', new Set())
  for (const name of ['index.html', files.find(({ from }) => from?.endsWith('.css'))?.name ?? ''])
    page.add(name)

  it('brings the editor with 150 kB more, when it is opened', () => {
    const view = loadOf(files, 'console/query/query-view.tsx', page)
    const editor = loadOf(files, 'console/query/code-editor.ts', new Set([...page, ...view]))
    assert.ok(kB(view) < 15, `${kB(view)} kB`)
    assert.ok(kB(editor) < 150, `${kB(editor)} kB`)
  })

  it('brings charts with 25 kB more, when some are shown', () => {
    const charts = loadOf(files, 'console/page/chart-canvas.ts', page)
    assert.ok(kB(charts) < 25, `${kB(charts)} kB`)
  })

  it('is on the page after 30.7 kB, and has 260 kB in total', () => {
    assert.ok(kB(page) < 30.7, `${kB(page)} kB`)
    const all = kB(files.map(({ name }) => name))
    assert.ok(all < 260, `${all} kB`)
  })
})
