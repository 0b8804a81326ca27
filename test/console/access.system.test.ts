// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chromiumSkipReason } from '../browser/chromium.ts'
import { TokenServer } from '../server/token-server.ts'
import { type ConsoleLook, ConsoleScene } from './console-scene.ts'
import { textsOf } from './page-texts.ts'

async function signedIn(scene: ConsoleScene, token: string, width = 1280): Promise<ConsoleLook> {
  const look = await scene.look('#/access', { viewport: { width, height: 800 } })
  await look.page.getByLabel('Token').fill(token)
  await look.page.keyboard.press('Enter')
  await look.page.getByRole('region', { name: 'Grants' }).waitFor()
  return look
}

describe('who may do what, in Chromium', { skip: chromiumSkipReason() }, () => {
  it('is made and taken back by statements that are shown before they are sent', async (t) => {
    const tokens = await TokenServer.start(t)
    await tokens.query('CREATE TABLE note (owner TEXT, id INTEGER, PRIMARY KEY (owner, id))')
    await tokens.query("INSERT INTO note (owner, id) VALUES ('web', 1), ('ann', 2)")
    const scene = await ConsoleScene.of(t, tokens.server)
    const look = await signedIn(scene, tokens.token, 360)
    const { page } = look
    const send = async (sql: string) => {
      const asked = page.getByRole('alertdialog')
      await asked.getByText(sql, { exact: true }).waitFor()
      await asked.getByRole('button', { name: 'Send it' }).press('Enter')
      await asked.waitFor({ state: 'detached' })
    }
    await look.requireCleanBut(/401/)
    await page.getByLabel('Name of the role').fill('member')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Leave it' }).click()
    await page.getByRole('button', { name: 'Create a role …' }).click()
    await send('CREATE ROLE member')
    const grant = page.getByRole('form', { name: 'A new grant' })
    await grant.getByLabel('On what').selectOption('note')
    await grant.getByLabel('Rule about rows').fill('owner = token.sub')
    await page.keyboard.press('Enter')
    await send('GRANT READ ON note TO member WHERE owner = token.sub')
    const grants = page.getByRole('region', { name: 'Grants' })
    await grants.getByText('owner = token.sub').waitFor()
    await page.getByLabel('Name of the token').fill('web')
    await page.getByRole('form', { name: 'A new token' }).getByLabel('role').selectOption('member')
    await page.getByRole('button', { name: 'Create a token …' }).click()
    await send('CREATE TOKEN web ROLE member EXPIRES IN 90 DAYS')
    const secret = await page.getByLabel('The token, which is shown this once').inputValue()
    await look.requireCleanBut(/401/)
    const { body } = await tokens.query('SCAN id FROM note', secret)
    assert.deepEqual(body.results[0].rows, [{ id: 1 }])
    await page.getByRole('button', { name: 'I have kept it' }).click()
    const list = page.getByRole('region', { name: 'Tokens' })
    const row = list.getByRole('row').filter({ hasText: 'member' })
    await row.waitFor()
    assert.doesNotMatch(await page.content(), new RegExp(secret.slice(-20)))
    await grants.getByRole('row').filter({ hasText: 'note' }).getByRole('button').click()
    await send('REVOKE READ ON note FROM member')
    await grants.getByText('note').waitFor({ state: 'detached' })
    assert.equal((await tokens.query('SCAN id FROM note', secret)).status, 404)
    await row.getByRole('button', { name: 'Drop …' }).click()
    await send('DROP TOKEN web')
    await row.waitFor({ state: 'detached' })
    assert.equal((await tokens.query('SHOW GRANTS', secret)).status, 401)
    await page.context().close()
  })

  it('is seen as a role with the claims of a user, in a tab that changes nothing', async (t) => {
    const tokens = await TokenServer.start(t)
    for (const sql of [
      'CREATE TABLE note (owner TEXT, id INTEGER, PRIMARY KEY (owner, id))',
      "INSERT INTO note (owner, id) VALUES ('ann', 1), ('bob', 2)",
      'CREATE ROLE member FOR JWT',
      'GRANT READ, WRITE ON note TO member WHERE owner = token.sub AND id < token.level',
    ]) {
      await tokens.query(sql)
    }
    const scene = await ConsoleScene.of(t, tokens.server)
    const { page } = await signedIn(scene, tokens.token, 360)
    const roles = page.getByRole('region', { name: 'Roles' })
    await roles
      .getByRole('row', { name: /member/ })
      .getByRole('button', { name: 'See as …' })
      .click()
    const form = page.getByRole('form', { name: 'See as member' })
    await form.getByLabel('token.sub').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('ann')
    await form.getByLabel('other claims').fill('{"level"')
    await page.keyboard.press('Enter')
    await form.getByText('are an object in JSON').waitFor()
    await form.getByLabel('other claims').fill('{"level": 5}')
    const [tab] = await Promise.all([page.waitForEvent('popup'), page.keyboard.press('Enter')])
    await form.waitFor({ state: 'detached' })
    await tab.getByText('seen as role member').waitFor()
    await tab.goto(`${page.url().split('#')[0]}#/tables/note`)
    await tab.getByText('ann').first().waitFor()
    assert.equal(await tab.getByText('bob').count(), 0)
    const kept = await tab.evaluate("sessionStorage.getItem('percolite-token')")
    assert.match(String(kept), /^pci_/)
    const own = await page.evaluate("sessionStorage.getItem('percolite-token')")
    assert.equal(own, tokens.token)
    const seen = tokens.as(String(kept))
    assert.deepEqual(await seen.rows('SCAN id FROM note'), [{ id: 1 }])
    assert.equal(
      await seen.refusal("DELETE FROM note WHERE owner = 'ann' AND id = 1"),
      'not_permitted',
    )
    await tab.getByRole('button', { name: 'Sign out' }).click()
    await tab.getByLabel('Token').waitFor()
    await page.getByRole('region', { name: 'Grants' }).waitFor()
    await page.context().close()
  })

  it('is to a role that is no administrator what it may do itself', async (t) => {
    const tokens = await TokenServer.start(t)
    for (const sql of [
      'CREATE TABLE note (owner TEXT, id INTEGER, PRIMARY KEY (owner, id))',
      'CREATE ROLE member',
      'CREATE ROLE other',
      'GRANT READ ON note TO member WHERE owner = token.sub',
      'GRANT INSPECT TO other',
    ]) {
      await tokens.query(sql)
    }
    const scene = await ConsoleScene.of(t, tokens.server)
    const look = await signedIn(
      scene,
      await tokens.made('CREATE TOKEN ann ROLE member EXPIRES IN 1 DAY'),
    )
    const { page } = look
    assert.deepEqual(await textsOf(page.getByRole('region', { name: 'Grants' }), ':scope > *'), [
      ['member', 'READ', 'note', 'where owner = token.sub (by key)', ''],
    ])
    for (const name of ['Tokens', 'Roles'])
      assert.equal(await page.getByRole('region', { name }).count(), 0)
    assert.equal(await page.getByRole('form').count(), 0)
    assert.equal(await page.getByRole('tabpanel').getByRole('button').count(), 0)
    await look.requireCleanBut(/401/)
    await page.context().close()
  })
})
