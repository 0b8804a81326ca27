// SPDX-License-Identifier: Apache-2.0
import { checkDataDirectory, openGateway, StorageError } from '../storage/storage.ts'
import { askServer } from './ask-server.ts'
import { type ConsistencyAnswer, consistencyAnswer, consistencyText } from './consistency-answer.ts'
import type { SharedEngine } from './engines/engine-config.ts'
import { openSharedEngine } from './engines/open-engine.ts'

/** What `percolite check` looks at: a folder that no server uses, a store over the network, or a running server. */
export type CheckConfig = {
  readonly target:
    | { readonly kind: 'directory'; readonly path: string }
    | { readonly kind: 'engine'; readonly engine: SharedEngine }
    | { readonly kind: 'server'; readonly url: string }
  readonly json: boolean
}

const EXIT_SOUND = 0
const EXIT_PROBLEMS = 1
const EXIT_NOT_CHECKED = 3

type Output = { write(text: string): unknown }

/** Carries the check out and answers the exit code. */
export async function runCheck(
  { target, json }: CheckConfig,
  { output, errors }: { readonly output: Output; readonly errors: Output },
): Promise<number> {
  try {
    const answer = await answerOf(target, (rows) => json || errors.write(`${rows} rows checked\n`))
    output.write(json ? `${JSON.stringify(answer)}\n` : consistencyText(answer))
    return answer.sound ? EXIT_SOUND : EXIT_PROBLEMS
  } catch (error) {
    errors.write(`percolite: ${error instanceof Error ? error.message : error}\n`)
    return EXIT_NOT_CHECKED
  }
}

async function answerOf(
  target: CheckConfig['target'],
  onProgress: (rows: number) => void,
): Promise<ConsistencyAnswer> {
  switch (target.kind) {
    case 'server':
      return await checkServer(target.url)
    case 'engine':
      return await checkEngine(target.engine, onProgress)
    case 'directory':
      return await checkFolder(target.path, onProgress)
  }
}

/** As one more gateway: others may be using the store. */
async function checkEngine(
  engine: SharedEngine,
  onProgress: (rows: number) => void,
): Promise<ConsistencyAnswer> {
  const storage = await openGateway(await openSharedEngine(engine), { ownsCellStore: true })
  try {
    return consistencyAnswer(await storage.checkConsistency({ onProgress }))
  } finally {
    await storage.close()
  }
}

async function checkFolder(
  path: string,
  onProgress: (rows: number) => void,
): Promise<ConsistencyAnswer> {
  try {
    return consistencyAnswer(await checkDataDirectory(path, { onProgress }))
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'data_directory_locked') throw error
    throw new Error(
      `${error.message} A running server is checked with npm run check:store -- --url http://…`,
    )
  }
}

async function checkServer(url: string): Promise<ConsistencyAnswer> {
  const { ok, status, text } = await askServer(url, '/v1/check')
  if (ok) return JSON.parse(text)
  throw new Error(`${url} answers ${status}: ${text.replaceAll('\n', ' ').slice(0, 300)}`)
}
