// SPDX-License-Identifier: Apache-2.0
import { type PlantedBug, plantedIn } from './planted-bug.ts'

const SIGNATURE = 'server/guard/gateways/forward-signature.ts'
const FORWARDING = 'server/doors/http/forwarding/forwarding.ts'

const bug = plantedIn('server/doors/http/forwarding')

/** One for each thing that a request has to keep when one server hands it on to another. */
export const FORWARDING_BUGS: readonly PlantedBug[] = [
  bug('forwardsAreUnsigned', SIGNATURE, 'VERSION || !isSigned)', 'VERSION)'),
  bug('forwardsOfAnyToken', SIGNATURE, 'target, token])', 'target])'),
  bug('forwardsOfAnyPath', SIGNATURE, 'method, target, token])', 'token])'),
  bug('forwardsAreHandedOn', FORWARDING, 'this.#arrived.has(raw.raw) ||', ''),
  bug(
    'forwardsComeFromServers',
    FORWARDING,
    'this.#deps.requests.cameFrom(raw, client)',
    'void client',
  ),
  bug('forwardsAreUnbounded', FORWARDING, 'forwardedRequests.take(client)', 'void client'),
  bug('forwardsWaitForTheDead', FORWARDING, "if (!isThere) giveUp('the gateway has ended')", ''),
  bug(
    'lostCommitsAreRepeated',
    FORWARDING,
    "if (operation === 'commitTransaction') return true",
    '',
  ),
]
