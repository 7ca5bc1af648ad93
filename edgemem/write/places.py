"""Names of places: towns, countries, parts of large cities, and what one moves to that is no place.

Who lives in Brooklyn lives in New York, and "New York" may not take the place of "Brooklyn". Only names that people
give as their home; a name that is not here may be a place of its own.
"""

from __future__ import annotations

import re
from typing import Final

from edgemem.text import fold, is_han

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


_TOWNS: Final = frozenset(
    name.replace("_", " ")
    for name in """
    aarhus aberdeen abidjan accra adelaide aleppo alexandria algiers almaty amman amsterdam ankara antalya antwerp athens atlanta auckland austin baghdad baku baltimore
    bangalore bengaluru bangkok barcelona bari basel basra bath beirut belfast belgrade bergen bern bilbao birmingham bogotá bogota bologna bonn bordeaux boston bratislava
    bremen brescia brighton brisbane bristol bruges brussels bucharest budapest buenos_aires bursa busan cairo calcutta calgary cambridge canberra cape_town caracas cardiff
    casablanca chennai cincinnati cleveland cologne colombo columbus copenhagen cork córdoba cordoba coventry dakar dallas damascus dar_es_salaam darwin delhi new_delhi denver
    derby detroit dhaka doha dortmund dresden dubai dublin dundee durban düsseldorf dusseldorf edinburgh edmonton eindhoven essen exeter florence frankfurt galway gdansk gdańsk
    geneva genoa ghent glasgow gothenburg granada graz groningen guadalajara haarlem hague the_hague haifa halifax hamburg hamilton hanoi hanover havana helsinki ho_chi_minh_city
    hobart honolulu houston hull hyderabad innsbruck islamabad istanbul izmir jakarta jerusalem johannesburg kampala karachi kathmandu kazan kharkiv khartoum kiev kyiv kobe kolkata
    krakow kraków kuala_lumpur kyoto lagos lahore las_vegas lausanne leeds leicester leiden leipzig leuven liège liege lille lima limerick linz lisbon liverpool ljubljana lodz łódź
    luanda lucerne luxembourg lviv lyon lyons madrid malaga málaga malmö malmo manchester manila mannheim maputo maribor marrakech marseille medellín medellin mexico_city miami milan
    milwaukee minneapolis minsk modena monterrey montevideo montpellier montreal moscow munich münster murcia nagoya nairobi nantes naples nashville newcastle nice nicosia norwich
    nottingham novosibirsk nuremberg odense odesa odessa omaha orlando osaka oslo ottawa oulu oxford padua palermo panama_city parma perth perugia philadelphia phoenix pisa pittsburgh
    plymouth porto portland porto_alegre portsmouth poznan poznań prague pretoria pune quebec quito rabat raleigh reading reims rennes reykjavik riga rijeka rio_de_janeiro riyadh rome
    rosario rostock rotterdam sacramento saint_petersburg st_petersburg salford salt_lake_city salzburg san_antonio san_diego san_jose santiago santander são_paulo sao_paulo sapporo
    sarajevo seattle seoul seville sheffield singapore skopje sofia southampton split stavanger stockholm strasbourg stuttgart swansea taipei tallinn tampa tampere tartu tashkent tbilisi
    tehran tel_aviv thessaloniki the_hague tijuana tirana toledo toulouse trieste tripoli trondheim tucson tunis turin turku utrecht valencia valletta vancouver venice verona vienna
    vigo vilnius warsaw washington wellington winnipeg wrocław wroclaw wuppertal yerevan york zagreb zaragoza zurich zürich
    苏州 无锡 常州 南通 扬州 徐州 镇江 泰州 盐城 连云港 淮安 宁波 温州 嘉兴 绍兴 金华 台州 湖州 丽水 舟山 合肥 芜湖 蚌埠 安庆 马鞍山 黄山 福州 厦门 泉州 漳州 莆田 龙岩 南昌 九江 赣州 景德镇
    济南 青岛 烟台 威海 潍坊 淄博 临沂 济宁 泰安 德州 日照 郑州 洛阳 开封 南阳 新乡 许昌 宜昌 襄阳 荆州 黄石 十堰 长沙 株洲 湘潭 岳阳 衡阳 常德 珠海 佛山 东莞 中山 惠州 汕头 江门 湛江 肇庆
    南宁 桂林 柳州 北海 海口 三亚 贵阳 遵义 昆明 大理 丽江 曲靖 拉萨 兰州 西宁 银川 乌鲁木齐 石家庄 保定 唐山 秦皇岛 邯郸 廊坊 太原 大同 呼和浩特 包头 鄂尔多斯 沈阳 大连 鞍山 长春 吉林 哈尔滨
    大庆 齐齐哈尔 绵阳 德阳 乐山 宜宾 泸州 咸阳 宝鸡 汉中 澳门 高雄 台中 台南 新竹 里斯本 波尔图 马德里 巴塞罗那 罗马 米兰 威尼斯 柏林 慕尼黑 汉堡 法兰克福 科隆 维也纳 苏黎世 日内瓦 伯尔尼 巴塞尔
    布鲁塞尔 根特 布鲁日 安特卫普 阿姆斯特丹 鹿特丹 乌得勒支 里昂 马赛 里尔 曼彻斯特 利物浦 爱丁堡 格拉斯哥 都柏林 奥斯陆 斯德哥尔摩 哥本哈根 赫尔辛基 莫斯科 圣彼得堡 华沙 布拉格 布达佩斯 雅典 伊斯坦布尔
    大阪 京都 名古屋 福冈 札幌 横滨 神户 首尔 釜山 新加坡 吉隆坡 曼谷 清迈 河内 胡志明市 雅加达 马尼拉 迪拜 波士顿 西雅图 休斯顿 亚特兰大 迈阿密 费城 华盛顿 温哥华 蒙特利尔 渥太华 墨尔本 布里斯班 珀斯 奥克兰 惠灵顿
    """.split()
) | {name for cities in _CITIES for name in cities.split("|")}  # fmt: skip
_HAN_DIVISION = re.compile("[一-鿿]{2,}(?:省|市|县|镇|自治区|自治州)$|[一-鿿]{2,}(?<![小社园地郊校厂景新老城街])区$")


def known(place: str) -> bool:
    """Whether a name is known to be one of a town or a part of one: a large city, or a name like 桐庐县."""
    name = _plain(place).removeprefix("the ")
    return name in _TOWNS or name in _PARTS or _HAN_DIVISION.search(fold(place)) is not None


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


_COUNTRIES: Final = frozenset(
    """afghanistan albania algeria argentina armenia australia austria bangladesh belgium bolivia bosnia brazil britain bulgaria cameroon canada chile china colombia croatia
    cuba cyprus czechia denmark ecuador egypt england estonia ethiopia europe finland france georgia germany ghana greece hungary iceland india indonesia iran iraq ireland israel
    italy jamaica japan jordan kazakhstan kenya korea latvia lebanon lithuania luxembourg malaysia malta mexico morocco nepal netherlands nigeria norway pakistan peru
    philippines poland portugal romania russia scotland serbia slovakia slovenia spain sweden switzerland syria taiwan tanzania thailand tunisia turkey uganda uk ukraine us usa
    vietnam wales 中国 英国 法国 德国 美国 日本 韩国 加拿大 澳大利亚 澳洲 新西兰 意大利 西班牙 葡萄牙 荷兰 比利时 瑞士 瑞典 挪威 丹麦 芬兰 俄罗斯 印度 泰国 越南 马来西亚
    河北 山西 辽宁 吉林 黑龙江 江苏 浙江 安徽 福建 江西 山东 河南 湖北 湖南 广东 海南 四川 贵州 云南 陕西 甘肃 青海 台湾 内蒙古 广西 西藏 宁夏 新疆""".split()
)
_WIDE = re.compile(r"^the |^south |^north |^new zealand$|^united |^saudi |省$|国$")


def coarse(place: str) -> bool:
    """Whether a place is a country or a province: one may live in it and in a town of it."""
    name = fold(place)
    return _WIDE.search(name) is not None or name in _COUNTRIES


_NO_PLACES: Final = frozenset(
    """design marketing sales engineering product products finance legal hr it qa operations support research development management backend frontend platform security
    data analytics team teams department dept group division squad unit branch office head headquarters staff role shift cloud azure aws linux windows mac macos ubuntu debian
    fedora android ios iphone slack notion github gitlab jira figma python rust go golang java kotlin swift typescript javascript postgres postgresql mysql sqlite vim neovim emacs
    vscode chrome firefox safari outlook gmail zoom discord signal telegram whatsapp obsidian evernote kubernetes docker microsoft google apple oracle salesforce
    plan level stage phase tier chapter year grade class monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december""".split()
)
"""What one moves to that is no place: a team, a system, a day."""
_LIKE_PLACE = re.compile(
    r"^(?:New|San|Santa|Saint|St\.?|North|South|East|West|Northern|Southern|Los|Las|El|La|Le|Les|Port|Fort|Mount|Lake|Upper|Lower|Great|Little|Bad|The|the|Isle|Cape|Costa|Puerto) "
    r"| (?:City|Town|Village|Park|Heath|Beach|Springs|Falls|Hills?|Bay|Islands?|Valley|Harbou?r|Bridge|Green|County|Street|Road|Heights)$"
)
_NO_PLACE_HAN = re.compile(
    "云|系统|平台|服务器|公司|单位|办公|部门|团队|[部组]$|[新老旧]家|新[房址店]|隔壁|[楼层]|线上|线下|网上|电脑|数据|账[号户]|[里上下边面]$|我|他|她"
)


def is_place(value: str) -> bool:
    """Whether a name is known to be one of a place, a town or a country."""
    return known(value) or coarse(value)


def may_be(value: str) -> bool:
    """Whether a name to which somebody moved may be one of a place: not Product Design, Linux, 云端 or a new office."""
    if is_place(value):
        return True
    if not value.isascii() and is_han(value):
        return _NO_PLACE_HAN.search(value) is None
    if value.isupper() or any(fold(word) in _NO_PLACES for word in value.split()):
        return False
    return "," in value or " " not in value or _LIKE_PLACE.search(value) is not None
