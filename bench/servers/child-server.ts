// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { installedExecutable } from './executable.ts'

const START_MS_MAX = 60_000
const STOP_MS_MAX = 30_000
const LOOK_AGAIN_MS = 25
const LOG_CHARACTERS_SHOWN = 4_000

/** How one server is started: `ready` answers once it takes work, and throws while it does not. */
export type ChildOrder = {
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
  /** Where it works and where its log is written. */
  readonly folder: string
  readonly account?: Account | undefined
  readonly stopSignal?: NodeJS.Signals
  readonly ready: (log: string) => Promise<unknown>
}

/** A server that the benchmark started as a process of its own, and stops by its own process id. */
export class ChildServer {
  readonly name: string
  readonly pid: number
  readonly #child: ChildProcess
  readonly #stopSignal: NodeJS.Signals
  readonly #killAtExit: () => void

  private constructor(order: ChildOrder, child: ChildProcess, killAtExit: () => void) {
    this.name = order.name
    this.pid = child.pid as number
    this.#child = child
    this.#stopSignal = order.stopSignal ?? 'SIGTERM'
    this.#killAtExit = killAtExit
  }

  /** Throws, with the end of the log, when the server ends or is not ready within a minute. */
  static async start(order: ChildOrder): Promise<ChildServer> {
    const logFile = join(order.folder, 'log')
    const log = createWriteStream(logFile)
    await once(log, 'open')
    const [program, args] = endingWithUs(order)
    const child = spawn(program, args, {
      cwd: order.folder,
      stdio: ['ignore', log, log],
      // In a group of its own Ctrl-C does not reach it: it is stopped once nobody asks it any more.
      detached: true,
      ...order.account,
    })
    // Where nothing else ends it when we end in an orderly way, without having stopped it.
    const killAtExit = () => child.kill('SIGKILL')
    process.once('exit', killAtExit)
    const failed = (what: string) =>
      new Error(`${order.name} ${what}; its log ends in:\n${endOf(logFile)}`)
    const failure = new Promise<never>((_resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code, signal) => reject(failed(`ended with ${code ?? signal}`)))
    })
    const asking = new AbortController()
    try {
      await Promise.race([failure, untilReady(order, logFile, failed, asking.signal)])
    } catch (error) {
      asking.abort()
      if (child.kill('SIGKILL')) await once(child, 'exit')
      process.removeListener('exit', killAtExit)
      throw error
    }
    // From here on an early end shows itself in the requests that fail.
    failure.catch(() => {})
    return new ChildServer(order, child, killAtExit)
  }

  /** Ends it at once, as a crash would. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Ends it politely, and with SIGKILL where that takes longer than 30 seconds. */
  async stop(): Promise<void> {
    await this.#end(this.#stopSignal)
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit')
      this.#child.kill(signal)
      const late = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS_MAX)
      await ended
      clearTimeout(late)
    }
    process.removeListener('exit', this.#killAtExit)
  }
}

/**
 * A program of our own, which is given its order as JSON and writes a line of JSON that says where it is. Returns that
 * with the server.
 */
export async function startProgram<Place>(
  name: string,
  main: string,
  order: unknown,
  folder: string,
): Promise<Place & { readonly pid: number; close(): Promise<void> }> {
  let place: Place | undefined
  const server = await ChildServer.start({
    ...{ name, program: process.execPath, args: [main, JSON.stringify(order)] },
    folder,
    // The log is that of this process alone.
    ready: async (log) => {
      const line = log.split('\n').find((one) => one.startsWith('{'))
      if (line === undefined) throw new Error('it has not named its address')
      place = JSON.parse(line)
    },
  })
  return { ...(place as Place), pid: server.pid, close: () => server.stop() }
}

/**
 * The command, such that the kernel kills the server when this process dies, even of SIGKILL: a
 * benchmark must not leave servers behind it. Only Linux can do that, by a program of util-linux.
 */
function endingWithUs({ program, args }: ChildOrder): readonly [string, string[]] {
  const setpriv = installedExecutable('setpriv')
  if (setpriv === undefined) return [program, [...args]]
  return [setpriv, ['--pdeathsig', 'KILL', program, ...args]]
}

async function untilReady(
  order: ChildOrder,
  logFile: string,
  failed: (what: string) => Error,
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + START_MS_MAX
  while (!signal.aborted) {
    try {
      await order.ready(readFileSync(logFile, 'utf8'))
      return
    } catch (error) {
      if (error instanceof WrongServer) throw error
      if (performance.now() > deadline) throw failed(`was not ready in time (${error})`)
    }
    await delay(LOOK_AGAIN_MS)
  }
}

/** Another process than the one that was started answered at its address. */
export class WrongServer extends Error {
  override readonly name = 'WrongServer'
}

/** Refuses to measure a stranger: what the server says of itself must be what was given to it. */
export function assertOwn(name: string, said: unknown, expected: unknown): void {
  if (String(said) === String(expected)) return
  throw new WrongServer(`${name}: a server that is not ours answers (${said}, not ${expected})`)
}

function endOf(file: string): string {
  return readFileSync(file, 'utf8').slice(-LOG_CHARACTERS_SHOWN)
}

/** Ports that were free a moment ago, for servers that cannot choose one themselves. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as { readonly port: number }).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

/** Whom a process runs as. */
type Account = { readonly uid: number; readonly gid: number }

/**
 * PostgreSQL refuses to run as root: then it runs as `postgres`, or `nobody` where there is none.
 * Undefined when we are not root, so that it runs as we do.
 */
export function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':')
    if (fields !== undefined) return { uid: Number(fields[2]), gid: Number(fields[3]) }
  }
  throw new Error('PostgreSQL does not run as root, and there is no account postgres or nobody')
}
