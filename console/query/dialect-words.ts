// SPDX-License-Identifier: Apache-2.0

/** The keywords of the dialect, for colours; what may stand where is the server's to say. */
export const KEYWORDS =
  'add admin all alter always analyze and as asc begin between block blocks by case check column ' +
  'commit conflict constraint create cursor day days default define delete desc describe distinct ' +
  'do drop each else end exists expires explain false family filter for from generated get grant grants ' +
  'group having hour hours identity if in index indexes insert inspect into is jwt keep key like ' +
  'limit lookup millisecond milliseconds minute minutes none not nothing notify null observe ' +
  'observer observers of on only optional or order overriding pause primary read rename replay ' +
  'restart resume returning revoke role roles rollback rotate scan script second seconds secret ' +
  'select set show start storing subject system table tables then to token tokens true unique ' +
  'update use value values weak when where with write'

export const TYPES = 'boolean bytes integer interval json real text timestamp'
