// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks'

/** What a button does: `failure` is the error of the last time, and `after` comes after each time. */
export function useAction(after: () => void) {
  const [failure, setFailure] = useState<unknown>()
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
      setFailure(undefined)
    } catch (cause) {
      setFailure(cause)
    }
    after()
  }
  return { failure, run }
}
