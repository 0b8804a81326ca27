// SPDX-License-Identifier: Apache-2.0

/** The keywords of the dialect, for colours; what may stand where is the server's to say. */
export const KEYWORDS =
  'add admin all alter analyze and as asc begin between block blocks by case check column commit ' +
  'conflict constraint create cursor day days default define delete desc describe distinct do drop ' +
  'else end exists expires explain false family filter for from get grant grants group having hour ' +
  'hours if in index indexes insert inspect into is jwt keep key like limit lookup millisecond ' +
  'milliseconds minute minutes none not nothing notify null observe observer observers of on only ' +
  'optional or order pause primary read rename replay resume returning revoke role roles rollback ' +
  'rotate scan script second seconds secret select set show storing subject table tables then to ' +
  'token tokens true unique update use values weak when where write'

export const TYPES = 'boolean bytes integer interval json real text timestamp'
