// SPDX-License-Identifier: Apache-2.0
import type { Claims } from '../../../../planner/planner.ts'
import type { RouteDependencies } from '../dependencies.ts'
import { listedWork } from '../listed-work.ts'
import type { Handlers } from '../openapi/binding.ts'

type Order = { readonly role: string; readonly claims?: Claims }

export function accessRoutes({ access, audit, randomness, requests }: RouteDependencies): Handlers {
  return {
    async impersonate({ body, reply }) {
      return await listedWork(requests, reply, async (running) => {
        const { role, claims = {} } = body as Order
        const made = access.impersonations.make({ role, claims }, running.principal, randomness)
        await audit.requireWritable()
        audit.impersonated(running, { role, subject: claims.sub })
        return { role, ...made }
      })
    },
  }
}
