// SPDX-License-Identifier: Apache-2.0
import { type PlantedBug, plantedIn } from './planted-bug.ts'

const TOKEN_FILE = 'server/operations/first-token/token-file.ts'
const FIRST_TOKEN = 'server/operations/first-token/first-token.ts'
const TAKEN = 'storage/tables/access/first-token.ts'

const bug = plantedIn('server/guard/access', 'server/operations/first-token', 'test/access')

/** One for each thing that the first token of a start has to do. */
export const FIRST_TOKEN_BUGS: readonly PlantedBug[] = [
  bug('firstTokenByLink', TOKEN_FILE, 'O_RDONLY | O_NOFOLLOW |', 'O_RDONLY |'),
  bug('firstTokenForAll', TOKEN_FILE, 'OWNER_ONLY = 0o600', 'OWNER_ONLY = 0o644'),
  bug('firstTokenIsRead', TOKEN_FILE, '(mode & GROUP_AND_OTHERS & ~allowed) === 0', 'true'),
  bug('firstTokenIsReplaced', TOKEN_FILE, '(found.mode & OTHERS_WRITE) === 0 && ', ''),
  bug(
    'firstTokenOfAnyText',
    FIRST_TOKEN,
    'const id = idOfToken(text)',
    'const id = text.slice(4, 14)',
  ),
  bug('firstTokenUnkept', FIRST_TOKEN, 'if (isNew && !isUnknown) file.remove()', ''),
  bug('firstTokenIsLeft', FIRST_TOKEN, 'if (isNew) file.remove()', ''),
  bug('firstTokenIsLogged', FIRST_TOKEN, 'token: token.id,', 'token,'),
  bug('firstTokenAgain', TAKEN, 'if (admins.length > 0)', 'if (false)'),
  bug('firstTokenUndropped', TAKEN, "throw refused('was dropped')", 'void taken'),
  bug('firstTokenRotatedBack', TAKEN, 'if (known.hash !== hash)', 'if (false)'),
]
