// SPDX-License-Identifier: Apache-2.0
import { Unreachable } from './failure.ts'

export type ServerAnswer = { readonly status: number; readonly ok: boolean; readonly text: string }

/**
 * What a running server answers to a command, which shows the token in `PERCOLITE_TOKEN`, if there is one. Rejects with
 * Unreachable when it does not answer.
 */
export async function askServer(
  url: string,
  path: string,
  request: RequestInit = {},
): Promise<ServerAnswer> {
  let answer: Response
  try {
    answer = await fetch(new URL(path, url), { ...request, headers: withToken(request.headers) })
  } catch (error) {
    const { cause } = error as { cause?: { message?: string } }
    throw new Unreachable(`${url} does not answer: ${cause?.message ?? (error as Error).message}.`)
  }
  return { status: answer.status, ok: answer.ok, text: await answer.text() }
}

function withToken(given: RequestInit['headers']): Headers {
  const headers = new Headers(given)
  const { PERCOLITE_TOKEN: token } = process.env
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  return headers
}
