"""Time zones: names of Windows as names of the IANA database, and zones as users give them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from zoneinfo import ZoneInfo

# The zones of Windows with the place that the Unicode CLDR names first (windowsZones.xml, territory 001).
WINDOWS = {
    "Dateline": "Etc/GMT+12", "UTC-11": "Etc/GMT+11", "Aleutian": "America/Adak", "Hawaiian": "Pacific/Honolulu",
    "Marquesas": "Pacific/Marquesas", "Alaskan": "America/Anchorage", "UTC-09": "Etc/GMT+9",
    "Pacific Standard Time (Mexico)": "America/Tijuana", "UTC-08": "Etc/GMT+8", "Pacific": "America/Los_Angeles",
    "US Mountain": "America/Phoenix", "Mountain Standard Time (Mexico)": "America/Mazatlan", "Mountain": "America/Denver",
    "Yukon": "America/Whitehorse", "Central America": "America/Guatemala", "Central": "America/Chicago",
    "Easter Island": "Pacific/Easter", "Central Standard Time (Mexico)": "America/Mexico_City",
    "Canada Central": "America/Regina", "SA Pacific": "America/Bogota",
    "Eastern Standard Time (Mexico)": "America/Cancun", "Eastern": "America/New_York", "Haiti": "America/Port-au-Prince",
    "Cuba": "America/Havana", "US Eastern": "America/Indianapolis", "Turks And Caicos": "America/Grand_Turk",
    "Paraguay": "America/Asuncion", "Atlantic": "America/Halifax", "Venezuela": "America/Caracas",
    "Central Brazilian": "America/Cuiaba", "SA Western": "America/La_Paz", "Pacific SA": "America/Santiago",
    "Newfoundland": "America/St_Johns", "Tocantins": "America/Araguaina", "E. South America": "America/Sao_Paulo",
    "SA Eastern": "America/Cayenne", "Argentina": "America/Buenos_Aires", "Greenland": "America/Godthab",
    "Montevideo": "America/Montevideo", "Magallanes": "America/Punta_Arenas", "Saint Pierre": "America/Miquelon",
    "Bahia": "America/Bahia", "UTC-02": "Etc/GMT+2", "Azores": "Atlantic/Azores", "Cape Verde": "Atlantic/Cape_Verde",
    "UTC": "UTC", "Coordinated Universal Time": "UTC", "GMT": "Europe/London", "Greenwich": "Atlantic/Reykjavik", "Sao Tome": "Africa/Sao_Tome",
    "Morocco": "Africa/Casablanca", "W. Europe": "Europe/Berlin", "Central Europe": "Europe/Budapest",
    "Romance": "Europe/Paris", "Central European": "Europe/Warsaw", "W. Central Africa": "Africa/Lagos",
    "Jordan": "Asia/Amman", "GTB": "Europe/Bucharest", "Middle East": "Asia/Beirut", "Egypt": "Africa/Cairo",
    "E. Europe": "Europe/Chisinau", "Syria": "Asia/Damascus", "West Bank": "Asia/Hebron",
    "South Africa": "Africa/Johannesburg", "FLE": "Europe/Kiev", "Israel": "Asia/Jerusalem",
    "South Sudan": "Africa/Juba", "Kaliningrad": "Europe/Kaliningrad", "Sudan": "Africa/Khartoum",
    "Libya": "Africa/Tripoli", "Namibia": "Africa/Windhoek", "Arabic": "Asia/Baghdad", "Turkey": "Europe/Istanbul",
    "Arab": "Asia/Riyadh", "Belarus": "Europe/Minsk", "Russian": "Europe/Moscow", "E. Africa": "Africa/Nairobi",
    "Volgograd": "Europe/Volgograd", "Iran": "Asia/Tehran", "Arabian": "Asia/Dubai", "Astrakhan": "Europe/Astrakhan",
    "Azerbaijan": "Asia/Baku", "Russia Time Zone 3": "Europe/Samara", "Mauritius": "Indian/Mauritius",
    "Saratov": "Europe/Saratov", "Georgian": "Asia/Tbilisi", "Caucasus": "Asia/Yerevan", "Afghanistan": "Asia/Kabul",
    "West Asia": "Asia/Tashkent", "Qyzylorda": "Asia/Qyzylorda", "Ekaterinburg": "Asia/Yekaterinburg",
    "Pakistan": "Asia/Karachi", "India": "Asia/Calcutta", "Sri Lanka": "Asia/Colombo", "Nepal": "Asia/Katmandu",
    "Central Asia": "Asia/Bishkek", "Bangladesh": "Asia/Dhaka", "Omsk": "Asia/Omsk", "Myanmar": "Asia/Rangoon",
    "SE Asia": "Asia/Bangkok", "Altai": "Asia/Barnaul", "W. Mongolia": "Asia/Hovd", "North Asia": "Asia/Krasnoyarsk",
    "N. Central Asia": "Asia/Novosibirsk", "Tomsk": "Asia/Tomsk", "China": "Asia/Shanghai",
    "North Asia East": "Asia/Irkutsk", "Singapore": "Asia/Singapore", "W. Australia": "Australia/Perth",
    "Taipei": "Asia/Taipei", "Ulaanbaatar": "Asia/Ulaanbaatar", "Aus Central W.": "Australia/Eucla",
    "Transbaikal": "Asia/Chita", "Tokyo": "Asia/Tokyo", "North Korea": "Asia/Pyongyang", "Korea": "Asia/Seoul",
    "Yakutsk": "Asia/Yakutsk", "Cen. Australia": "Australia/Adelaide", "AUS Central": "Australia/Darwin",
    "E. Australia": "Australia/Brisbane", "AUS Eastern": "Australia/Sydney", "West Pacific": "Pacific/Port_Moresby",
    "Tasmania": "Australia/Hobart", "Vladivostok": "Asia/Vladivostok", "Lord Howe": "Australia/Lord_Howe",
    "Bougainville": "Pacific/Bougainville", "Russia Time Zone 10": "Asia/Srednekolymsk", "Magadan": "Asia/Magadan",
    "Norfolk": "Pacific/Norfolk", "Sakhalin": "Asia/Sakhalin", "Central Pacific": "Pacific/Guadalcanal",
    "Russia Time Zone 11": "Asia/Kamchatka", "New Zealand": "Pacific/Auckland", "UTC+12": "Etc/GMT-12",
    "Fiji": "Pacific/Fiji", "Chatham Islands": "Pacific/Chatham", "UTC+13": "Etc/GMT-13", "Tonga": "Pacific/Tongatapu",
    "Samoa": "Pacific/Apia", "Line Islands": "Pacific/Kiritimati",
}  # fmt: skip


def iana_name(name: str | None, offsets: Iterable[tuple[int, int]]) -> str | None:
    """The IANA name of a zone that a capture names, if its rules give the offsets that the capture has: pairs of a time,
    in nanoseconds since 1970, and minutes east of UTC."""
    if name is None:
        return None
    # Text names the zone as it was called when the capture began.
    plain = name.removesuffix(" Standard Time").removesuffix(" Daylight Time")
    windows = WINDOWS.get(name) or WINDOWS.get(plain)
    zone = zone_info(windows or name)
    if zone is None:
        return None
    for nanos, minutes in offsets:
        moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=nanos // 1_000)
        if moment.astimezone(zone).utcoffset() != timedelta(minutes=minutes):
            return None
    return zone.key


def zone_info(name: str) -> ZoneInfo | None:
    """The zone of an IANA name; ``None``: there is none, or the system has no zones."""
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


def zone_text(zone: str | tzinfo | None) -> str | None:
    """A zone in the syntax of the library: the name of a ``ZoneInfo``, or the offset of a fixed one."""
    if zone is None or isinstance(zone, str):
        return zone
    if not isinstance(zone, tzinfo):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"zone is text or a tzinfo, not {type(zone).__name__}: {zone!r}")
    key = getattr(zone, "key", None) or getattr(zone, "zone", None)
    if isinstance(key, str):
        return key
    offset = zone.utcoffset(None)
    if offset is None:
        raise ValueError(f"zone is {zone!r}, which has neither a name nor a fixed offset")
    minutes = round(offset.total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
