// SPDX-License-Identifier: Apache-2.0
import { ServerError } from '../../../errors/server-error.ts'
import { moveTargetOf, type TargetTexts } from '../../../operations/move/move-target.ts'
import { UsageError } from '../../../usage-error.ts'
import type { RouteDependencies } from '../dependencies.ts'
import type { Handlers } from '../openapi/binding.ts'

/** `MoveOrder` of `openapi.yaml`. */
type MoveBody = {
  readonly to: string
  readonly targetUrl?: string
  readonly follow?: boolean
  readonly compare?: boolean
  readonly options?: TargetTexts
}

export function moveRoutes({ moves }: RouteDependencies): Handlers {
  return {
    async getMove() {
      return moves.state
    },

    async beginMove({ body, reply }) {
      const { to, targetUrl = '', follow = false, compare = true, options = {} } = body as MoveBody
      moves.requireAllowed()
      reply.code(202)
      return moves.begin({ target: targetOf(to, options), targetUrl, follow, compare })
    },
  }
}

/** Passwords come from the environment of this process, and files are those that it can read. */
function targetOf(to: string, options: TargetTexts) {
  try {
    return moveTargetOf(to, options, process.env)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new ServerError('invalid_request', error.message)
  }
}
