// SPDX-License-Identifier: Apache-2.0
import type { AnswerBody } from '../server/test-server.ts'

/** The lines of the body as JSON, as many at a time as have arrived. Leaving the loop ends the answer. */
export async function* jsonLines(
  body: NonNullable<Response['body']>,
): AsyncGenerator<AnswerBody[], void, void> {
  let rest = ''
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    yield lines.map((line) => JSON.parse(line))
  }
}
