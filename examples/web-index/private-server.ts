// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type PrivateServer = AsyncDisposable & { readonly url: string }

const OBSERVERS = fileURLToPath(new URL('./observers.ts', import.meta.url))
const SERVER = fileURLToPath(new URL('../../cli/cli.ts', import.meta.url))
const START_MS = 30_000
const STOP_MS = 10_000

/**
 * A server of its own on a free port, with a data folder that is removed when it is disposed of. Its
 * relays may send to `relayTo`.
 */
export async function startPrivateServer(relayTo: string): Promise<PrivateServer> {
  const folder = await mkdtemp(join(tmpdir(), 'percolite-web-index-'))
  const place = ['--host', '127.0.0.1', '--port', '0', '--data', join(folder, 'data')]
  const own = ['--observers', OBSERVERS, '--relay-to', relayTo]
  const args = [SERVER, 'serve', ...place, ...own, '--log-format', 'json', '--log-level', 'info']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const stop = async () => {
    const hurry = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    child.kill('SIGTERM')
    await exited
    clearTimeout(hurry)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    return { url: await listeningUrl(child), [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The server says in its log where it listens; the log is read on, so that the pipe never fills. */
function listeningUrl(child: ReturnType<typeof spawn>): Promise<string> {
  return new Promise((resolve, reject) => {
    let log = ''
    const late = setTimeout(() => reject(new Error(`the server did not start:\n${log}`)), START_MS)
    const read = (chunk: string) => {
      if (log.length < 100_000) log += chunk
      const url = log.match(/http:\/\/127\.0\.0\.1:\d+(?=\D)/)?.[0]
      if (url === undefined) return
      clearTimeout(late)
      resolve(url)
    }
    child.stdout?.setEncoding('utf8').on('data', read)
    child.stderr?.setEncoding('utf8').on('data', read)
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(late)
      reject(new Error(`the server ended with ${code}:\n${log}`))
    })
  })
}
