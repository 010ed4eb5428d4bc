/*
 * The names of time zones. A zone has several: browsers of one kind say Asia/Calcutta where phones say Asia/Kolkata. Who
 * selects people by one of them means them all.
 *
 * From the links of the IANA time zone database, 2026; of each zone, the name under which Intl knows it stands first.
 */

const ZONES: ReadonlyArray<string> = [
  "Africa/Asmera Africa/Asmara",
  "Africa/Bamako Africa/Timbuktu",
  "Africa/Cairo Egypt",
  "Africa/Tripoli Libya",
  "America/Adak America/Atka US/Aleutian",
  "America/Anchorage US/Alaska",
  "America/Buenos_Aires America/Argentina/Buenos_Aires",
  "America/Catamarca America/Argentina/Catamarca America/Argentina/ComodRivadavia",
  "America/Chicago CST6CDT US/Central",
  "America/Coral_Harbour America/Atikokan",
  "America/Cordoba America/Argentina/Cordoba America/Rosario",
  "America/Denver America/Shiprock MST7MDT Navajo US/Mountain",
  "America/Detroit US/Michigan",
  "America/Edmonton America/Yellowknife Canada/Mountain",
  "America/Godthab America/Nuuk",
  "America/Halifax Canada/Atlantic",
  "America/Havana Cuba",
  "America/Indiana/Knox America/Knox_IN US/Indiana-Starke",
  "America/Indianapolis America/Fort_Wayne America/Indiana/Indianapolis US/East-Indiana",
  "America/Iqaluit America/Pangnirtung",
  "America/Jamaica Jamaica",
  "America/Jujuy America/Argentina/Jujuy",
  "America/Los_Angeles PST8PDT US/Pacific",
  "America/Louisville America/Kentucky/Louisville",
  "America/Manaus Brazil/West",
  "America/Mazatlan Mexico/BajaSur",
  "America/Mendoza America/Argentina/Mendoza",
  "America/Mexico_City Mexico/General",
  "America/New_York EST5EDT US/Eastern",
  "America/Noronha Brazil/DeNoronha",
  "America/Panama EST",
  "America/Phoenix MST US/Arizona",
  "America/Regina Canada/Saskatchewan",
  "America/Rio_Branco America/Porto_Acre Brazil/Acre",
  "America/Santiago Chile/Continental",
  "America/Sao_Paulo Brazil/East",
  "America/St_Johns Canada/Newfoundland",
  "America/St_Thomas America/Virgin",
  "America/Tijuana America/Ensenada America/Santa_Isabel Mexico/BajaNorte",
  "America/Toronto America/Montreal America/Nipigon America/Thunder_Bay Canada/Eastern",
  "America/Vancouver Canada/Pacific",
  "America/Whitehorse Canada/Yukon",
  "America/Winnipeg America/Rainy_River Canada/Central",
  "Antarctica/McMurdo Antarctica/South_Pole",
  "Arctic/Longyearbyen Atlantic/Jan_Mayen",
  "Asia/Ashgabat Asia/Ashkhabad",
  "Asia/Calcutta Asia/Kolkata",
  "Asia/Dhaka Asia/Dacca",
  "Asia/Hong_Kong Hongkong",
  "Asia/Jerusalem Asia/Tel_Aviv Israel",
  "Asia/Katmandu Asia/Kathmandu",
  "Asia/Macau Asia/Macao",
  "Asia/Makassar Asia/Ujung_Pandang",
  "Asia/Nicosia Europe/Nicosia",
  "Asia/Rangoon Asia/Yangon",
  "Asia/Saigon Asia/Ho_Chi_Minh",
  "Asia/Seoul ROK",
  "Asia/Shanghai Asia/Chongqing Asia/Chungking Asia/Harbin PRC",
  "Asia/Singapore Singapore",
  "Asia/Taipei ROC",
  "Asia/Tehran Iran",
  "Asia/Thimphu Asia/Thimbu",
  "Asia/Tokyo Japan",
  "Asia/Ulaanbaatar Asia/Choibalsan Asia/Ulan_Bator",
  "Asia/Urumqi Asia/Kashgar",
  "Atlantic/Faeroe Atlantic/Faroe",
  "Atlantic/Reykjavik Iceland",
  "Australia/Adelaide Australia/South",
  "Australia/Brisbane Australia/Queensland",
  "Australia/Broken_Hill Australia/Yancowinna",
  "Australia/Darwin Australia/North",
  "Australia/Hobart Australia/Currie Australia/Tasmania",
  "Australia/Lord_Howe Australia/LHI",
  "Australia/Melbourne Australia/Victoria",
  "Australia/Perth Australia/West",
  "Australia/Sydney Australia/ACT Australia/Canberra Australia/NSW",
  "Europe/Athens EET",
  "Europe/Brussels CET MET",
  "Europe/Chisinau Europe/Tiraspol",
  "Europe/Dublin Eire",
  "Europe/Istanbul Asia/Istanbul Turkey",
  "Europe/Kiev Europe/Kyiv Europe/Uzhgorod Europe/Zaporozhye",
  "Europe/Lisbon Portugal WET",
  "Europe/London Europe/Belfast GB GB-Eire",
  "Europe/Moscow W-SU",
  "Europe/Warsaw Poland",
  "Pacific/Auckland NZ",
  "Pacific/Chatham NZ-CHAT",
  "Pacific/Easter Chile/EasterIsland",
  "Pacific/Enderbury Pacific/Kanton",
  "Pacific/Honolulu HST Pacific/Johnston US/Hawaii",
  "Pacific/Kwajalein Kwajalein",
  "Pacific/Pago_Pago Pacific/Samoa US/Samoa",
  "Pacific/Ponape Pacific/Pohnpei",
  "Pacific/Truk Pacific/Chuuk Pacific/Yap",
  "UTC Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich Etc/UCT Etc/UTC Etc/Universal Etc/Zulu GMT GMT+0 GMT-0 GMT0 Greenwich UCT Universal Zulu"
]

interface Zone {
  readonly name: string
  readonly names: ReadonlyArray<string>
}

const zones = new Map(
  ZONES.flatMap((line) => {
    const names = line.split(" ")
    return names.map((name): [string, Zone] => [name.toLowerCase(), { name, names }])
  })
)

/** By names in lower case. What is no zone is not kept: there is no end to that. */
const known = new Map<string, Zone>()

const find = (text: string): Zone | null => {
  // Offsets such as +02:00 are accepted by Intl but follow no daylight saving: they are not zone names.
  if (/^[+-]/.test(text)) return null
  try {
    const name = new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone
    return zones.get(text.toLowerCase()) ?? { name, names: [name] }
  } catch {
    return null
  }
}

/** The zone of a name, in capitals or not; null where it is known of none here. */
export const zoneOf = (text: string): Zone | null => {
  const name = text.toLowerCase()
  const before = known.get(name)
  if (before !== undefined) return before
  const zone = find(text)
  if (zone !== null) known.set(name, zone)
  return zone
}

/** A zone's name as it is kept, and told apart from others: `europe/berlin` is Europe/Berlin. */
export const storedZone = (text: string | null | undefined): string | null =>
  text == null ? null : (zoneOf(text)?.name ?? text)

/** All names that people in these zones may have. */
export const namesOfZones = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(texts.flatMap((text) => zoneOf(text)?.names ?? [text]))
]
