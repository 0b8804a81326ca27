// SPDX-License-Identifier: Apache-2.0
import { writeHashed } from '../../../storage/operations/operations.ts'
import {
  GROUP_FORMAT,
  type ReceivedFrame,
  type StreamPosition,
  type Timestamp,
} from '../../../storage/storage.ts'

/** How long the primary may wait for a group: as old as a read at the standby of an idle store may be. */
const WAIT_MS = 1_000
/** A primary from which nothing has come for so much longer is taken for gone. */
const SILENCE_MS = 5_000
/** How many bytes of groups one answer has, or one group. */
const BYTES_MAX = 4 * 2 ** 20
/** More than any commit has. */
const FRAME_BYTES_MAX = 2 ** 30
/** A copy is made before it is sent. */
const COPY_MADE_MS_MAX = 15 * 60_000
const PROBLEM_BYTES_MAX = 65_536

export type PrimaryFrame = ReceivedFrame & {
  /** What the primary says of its timestamps; see `StoreHistory.name`. */
  readonly history: string
}

/** The primary refused, in its words. */
export class PrimaryRefusal extends Error {
  override readonly name = 'PrimaryRefusal'
  readonly status: number
  readonly code: string
  /** The history of the store that it has; empty where it does not say. */
  readonly history: string

  constructor(answer: Response, { code = '', detail = '' }: Problem) {
    super(detail === '' ? `it answers ${answer.status}` : detail)
    this.status = answer.status
    this.code = code
    this.history = answer.headers.get('percolite-history') ?? ''
  }
}

type Problem = { readonly code?: string; readonly detail?: string }

type Call = {
  readonly path: string
  readonly body?: object
  readonly signal: AbortSignal
  /** How long nothing may come. */
  readonly silenceMs: number
}

/** The server that a standby follows, over HTTP. */
export class FollowedPrimary {
  readonly url: string
  readonly #token: () => string | undefined
  readonly #address: () => string | undefined

  /** `address` is where this standby is reached, as the primary lists it. */
  constructor(parts: {
    readonly url: string
    readonly token: () => string | undefined
    readonly address: () => string | undefined
  }) {
    this.url = parts.url
    this.#token = parts.token
    this.#address = parts.address
  }

  /**
   * What follows a position, and says that all up to there is durable here. Rejects with PrimaryRefusal, with what
   * broke the connection, and with the signal's reason. One who does not know yet whether it is there does not wait.
   */
  async groups(
    { position, visible }: Had,
    { waits, signal }: { readonly waits: boolean; readonly signal: AbortSignal },
  ): Promise<PrimaryFrame> {
    const { stream, number } = position
    const address = this.#address()
    const own = address === undefined ? {} : { address }
    const bounds = { waitMs: waits ? WAIT_MS : 0, bytesMax: BYTES_MAX }
    const body = { stream, number, visible, ...bounds, ...own }
    const call = { path: 'groups', body, signal, silenceMs: WAIT_MS + SILENCE_MS }
    return await this.#call(call, async (answer, came) => {
      const bytes = await bodyOf(answer, FRAME_BYTES_MAX, came)
      const end = bytes.indexOf('\n')
      const head = JSON.parse(bytes.toString('utf8', 0, Math.max(0, end))) as FrameHead
      const groups = bytes.subarray(end + 1)
      if (head.format !== GROUP_FORMAT) {
        throw new Error(
          `it sends groups of the format ${head.format}, and this version reads ${GROUP_FORMAT}`,
        )
      }
      if (groups.length !== head.bytes) throw new Error('its answer is cut off')
      const { visible, newest, safePoint, last, history } = head
      return { groups, visible: visible ?? undefined, newest, safePoint, last, history }
    })
  }

  /**
   * Receives a copy of the store into a new file, and syncs it. Rejects as `groups`, and where what came is not what
   * was sent; `accepts` throws for a history that is not wanted.
   */
  async copyTo(
    file: string,
    options: {
      readonly accepts: (history: string) => void
      readonly received: (bytes: number, total: number) => void
      readonly signal: AbortSignal
    },
  ): Promise<number> {
    const { accepts, received, signal } = options
    const call = { path: 'copy', signal, silenceMs: COPY_MADE_MS_MAX }
    return await this.#call(call, async (answer, came) => {
      accepts(answer.headers.get('percolite-history') ?? '')
      const total = Number(answer.headers.get('content-length'))
      const digest = /^sha-256=([\w+/=]+)$/.exec(answer.headers.get('digest') ?? '')?.[1]
      if (answer.body === null || digest === undefined) throw new Error('its copy has no digest')
      came(SILENCE_MS)
      const written = (bytes: number) => {
        came(SILENCE_MS)
        received(bytes, total)
      }
      const found = await writeHashed(answer.body, file, { written, signal })
      const isSame = Buffer.from(found.sha256, 'hex').toString('base64') === digest
      if (!isSame || found.bytes !== total) throw new Error('its copy was damaged on the way')
      return found.bytes
    })
  }

  /** Tells it that another server takes the writes. */
  async supersede(by: string, history: string, signal: AbortSignal): Promise<void> {
    const call = { path: 'supersede', body: { by, history }, signal, silenceMs: SILENCE_MS }
    await this.#call(call, async (answer) => void (await answer.body?.cancel()))
  }

  async #call<T>(
    { path, body, signal, silenceMs }: Call,
    work: (answer: Response, came: (silenceMs?: number) => void) => Promise<T>,
  ): Promise<T> {
    const silent = new AbortController()
    const isSilent = () => silent.abort(new Error('it does not answer in time'))
    let timer = setTimeout(isSilent, silenceMs)
    const came = (nextMs = silenceMs) => {
      clearTimeout(timer)
      timer = setTimeout(isSilent, nextMs)
    }
    const token = this.#token()
    try {
      const answer = await fetch(`${this.url}/v1/replication/${path}`, {
        method: 'POST',
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.any([signal, silent.signal]),
      })
      if (!answer.ok) throw new PrimaryRefusal(answer, await problemOf(answer, came))
      return await work(answer, came)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** What a standby has, durably, and up to where it shows that. */
type Had = { readonly position: StreamPosition; readonly visible: Timestamp }

type FrameHead = Omit<PrimaryFrame, 'groups' | 'visible'> & {
  readonly format: number
  readonly visible: PrimaryFrame['visible'] | null
  readonly bytes: number
}

async function problemOf(answer: Response, came: () => void): Promise<Problem> {
  try {
    return JSON.parse((await bodyOf(answer, PROBLEM_BYTES_MAX, came)).toString('utf8')) as Problem
  } catch {
    return {}
  }
}

/** All of it, in memory. */
export async function bodyOf(
  answer: Response,
  bytesMax: number,
  came: () => void = () => undefined,
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer.body ?? []) {
    came()
    bytes += chunk.length
    if (bytes > bytesMax) throw new Error(`its answer has more than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes)
}
