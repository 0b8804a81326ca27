// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { type AnswerBody, startTestServer, type TestServer } from '../server/test-server.ts'
import { testFolder } from '../test-folder.ts'

// The official client starts the command as a program with an agent does.

const CLI = fileURLToPath(new URL('../../cli/cli.ts', import.meta.url))

type Answer = { readonly isError: boolean; readonly content: AnswerBody; readonly text: string }

export class Agent {
  readonly client: Client

  constructor(client: Client) {
    this.client = client
  }

  async call(name: string, given: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    const answer = await this.client.callTool({ name, arguments: given })
    const [part] = answer.content
    assert.equal(part?.type, 'text')
    const text = part.type === 'text' ? part.text : ''
    return { isError: answer.isError === true, content: answer.structuredContent, text }
  }

  /** What a tool gives, which has to succeed. */
  async done(name: string, given: Readonly<Record<string, unknown>> = {}): Promise<AnswerBody> {
    const { isError, content, text } = await this.call(name, given)
    assert.equal(isError, false, text)
    return content
  }

  /** The error of a tool. */
  async refused(name: string, given: Readonly<Record<string, unknown>> = {}): Promise<AnswerBody> {
    const { isError, content, text } = await this.call(name, given)
    assert.equal(isError, true, text)
    assert.deepEqual(JSON.parse(text), content)
    return content.error
  }

  /** Shown, and then done. */
  async write(sql: string, params?: unknown): Promise<AnswerBody> {
    const { confirmation } = await this.done('write', { sql, params })
    return await this.done('write', { sql, params, confirmation })
  }
}

type Options = {
  readonly token?: string
  readonly flags?: readonly string[]
  readonly mode?: 'legacy' | 'auto'
}

export async function agentOf(t: TestContext, url: string, options: Options = {}): Promise<Agent> {
  const { token, flags = [], mode = 'legacy' } = options
  const args = [CLI, 'mcp', '--url', url, ...flags]
  if (token !== undefined) {
    const path = join(await testFolder(t, 'mcp'), 'token')
    await writeFile(path, token)
    args.push('--token-file', path)
  }
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new StdioClientTransport({ command: process.execPath, args }))
  t.after(() => client.close())
  return new Agent(client)
}

const TABLES = [
  'CREATE TABLE account (id TEXT PRIMARY KEY, owner TEXT, balance INTEGER NOT NULL DEFAULT 0, note JSON)',
  'CREATE INDEX accountByOwner ON account (owner)',
  'CREATE TABLE audit (id INTEGER PRIMARY KEY, text TEXT)',
]
const ROWS =
  "INSERT INTO account (id, owner, balance) VALUES ('a1', 'ann', 10), ('b1', 'bob', 5), ('b2', 'bob', 7)"

export async function bank(
  t: TestContext,
): Promise<{ readonly server: TestServer; readonly url: string }> {
  const server = await startTestServer(t)
  for (const sql of [...TABLES, ROWS]) {
    const { status, text } = await server.query(sql)
    assert.equal(status, 200, text)
  }
  await server.indexesBuilt('account')
  return { server, url: (await server.listen()).url }
}

/** The bank, an administrator, and the token of a role. */
export async function guarded(t: TestContext, ...grants: readonly string[]) {
  const { server, url } = await bank(t)
  let root: string | undefined
  const run = async (sql: string) => {
    const headers = root === undefined ? {} : { authorization: `Bearer ${root}` }
    const sending = { method: 'POST', path: '/v1/query', json: { sql }, headers } as const
    const { status, body, text } = await server.send(sending)
    assert.equal(status, 200, text)
    return body.results[0].rows[0]
  }
  root = (await run('CREATE TOKEN root ROLE admin EXPIRES IN 1 DAY')).token as string
  await run('CREATE ROLE agent')
  for (const grant of grants) await run(grant)
  const { token } = await run('CREATE TOKEN mine ROLE agent EXPIRES IN 1 DAY')
  return { url, run, token: token as string }
}
