"""Parts of large cities: who lives in Brooklyn lives in New York, and "New York" may not take the place of "Brooklyn".

Only names that people give as their home; a name that is not here is a place of its own.
"""

from __future__ import annotations

from typing import Final

from edgemem.text import fold

_CITIES: Final = {
    "new york|new york city|nyc|纽约": "brooklyn queens manhattan bronx harlem staten_island williamsburg bushwick flushing astoria soho tribeca park_slope 布鲁克林 皇后区 曼哈顿 法拉盛 布朗克斯",
    "london|伦敦": "shoreditch hackney camden brixton peckham islington clapham croydon ealing greenwich tottenham walthamstow wimbledon chelsea kensington battersea stratford lewisham richmond_upon_thames bethnal_green dalston",
    "paris|巴黎": "montmartre belleville le_marais marais bastille pigalle la_défense batignolles",
    "berlin|柏林": "kreuzberg neukölln wedding prenzlauer_berg friedrichshain charlottenburg moabit pankow spandau schöneberg",
    "los angeles|la|洛杉矶": "hollywood venice_beach santa_monica silver_lake echo_park burbank pasadena koreatown",
    "san francisco|sf|旧金山": "mission_district the_mission castro sunset_district noe_valley soma",
    "chicago|芝加哥": "hyde_park wicker_park logan_square pilsen lincoln_park",
    "toronto|多伦多": "scarborough etobicoke north_york kensington_market",
    "sydney|悉尼": "bondi newtown parramatta manly surry_hills",
    "melbourne|墨尔本": "fitzroy st_kilda brunswick carlton footscray collingwood",
    "tokyo|东京": "shibuya shinjuku nakano setagaya asakusa kichijoji 涩谷 新宿 世田谷 池袋",
    "mumbai|bombay": "bandra andheri colaba juhu dadar powai",
    "北京|beijing": "朝阳 海淀 东城 西城 丰台 石景山 通州 昌平 大兴 顺义 回龙观 望京 五道口 中关村 亦庄 天通苑",
    "上海|shanghai": "浦东 徐汇 静安 黄浦 长宁 虹口 杨浦 普陀 闵行 宝山 嘉定 松江 青浦 奉贤 金山 陆家嘴 张江 pudong xuhui",
    "广州|guangzhou": "天河 越秀 海珠 荔湾 白云 黄埔 番禺 花都 南沙 增城 从化",
    "深圳|shenzhen": "南山 福田 罗湖 宝安 龙岗 龙华 盐田 光明 坪山 蛇口 nanshan",
    "杭州|hangzhou": "西湖区 余杭 萧山 滨江 拱墅 临平 上城 钱塘 富阳",
    "成都|chengdu": "武侯 锦江 青羊 金牛 成华 高新区 双流 郫都 温江 龙泉驿",
    "南京|nanjing": "鼓楼 玄武 秦淮 建邺 江宁 浦口 栖霞 雨花台",
    "武汉|wuhan": "武昌 汉口 汉阳 光谷 洪山 江夏",
    "重庆|chongqing": "渝北 渝中 江北 沙坪坝 九龙坡 南岸 巴南",
    "天津|tianjin": "和平区 南开 滨海新区 河西 河东",
    "西安|xi'an": "雁塔 碑林 未央 长安区 莲湖",
    "香港|hong kong": "九龙 新界 沙田 旺角 尖沙咀 荃湾 元朗 屯门 kowloon mong_kok sha_tin",
    "台北|taipei": "信义区 大安区 内湖 士林 北投 板桥",
}  # fmt: skip
_PARTS: Final = {
    part.replace("_", " "): frozenset(city.split("|")) for city, parts in _CITIES.items() for part in parts.split()
}


def lies_in(part: str, whole: str) -> bool:
    """Whether the first place is known to be a part of the second, a city."""
    return _plain(whole) in _PARTS.get(_plain(part), _PARTS.get(fold(part), frozenset()))


def _plain(place: str) -> str:
    """浦东新区 as 浦东, 上海市 as 上海; the words before a comma: "Brooklyn, NY"."""
    name = fold(place).partition(",")[0].strip()
    for ending in ("新区", "区", "市"):
        if name.endswith(ending) and len(name) - len(ending) >= 2:
            return name.removesuffix(ending)
    return name
