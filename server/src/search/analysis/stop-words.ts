import { createRequire } from 'node:module';
import { assert } from '#base/assert.ts';

const require = createRequire(import.meta.url);

/**
 * By language. The package's Lithuanian, Serbian and Turkish lists are wrongly encoded; its
 * Slovenian one is Russian.
 */
const LOADERS: Readonly<Record<string, () => unknown>> = {
  ar: () => require('@orama/stopwords/arabic'),
  bg: () => require('@orama/stopwords/bulgarian'),
  da: () => require('@orama/stopwords/danish'),
  de: () => require('@orama/stopwords/german'),
  el: () => require('@orama/stopwords/greek'),
  en: () => require('@orama/stopwords/english'),
  es: () => require('@orama/stopwords/spanish'),
  fi: () => require('@orama/stopwords/finnish'),
  fr: () => require('@orama/stopwords/french'),
  ga: () => require('@orama/stopwords/irish'),
  hi: () => require('@orama/stopwords/indian'),
  hu: () => require('@orama/stopwords/hungarian'),
  hy: () => require('@orama/stopwords/armenian'),
  id: () => require('@orama/stopwords/indonesian'),
  it: () => require('@orama/stopwords/italian'),
  ne: () => require('@orama/stopwords/nepali'),
  nl: () => require('@orama/stopwords/dutch'),
  no: () => require('@orama/stopwords/norwegian'),
  pt: () => require('@orama/stopwords/portuguese'),
  ro: () => require('@orama/stopwords/romanian'),
  ru: () => require('@orama/stopwords/russian'),
  sa: () => require('@orama/stopwords/sanskrit'),
  sv: () => require('@orama/stopwords/swedish'),
  ta: () => require('@orama/stopwords/tamil'),
};

/** Stop words of languages that the package has no list for, or only a part of one. */
const OWN: Readonly<Record<string, string>> = {
  da: 'blive bliver bruges efter eller før ham hver hvilke hvordan ingen kan kun også samme siden så ved',
  ca: `a al als amb aquest aquesta aquests això c com d de del dels des el ella ells els en cada entre era es és esta està
    fins ha han hi i jo l la les li llur m me més molt n ni no nosaltres o on pel pels per però perquè que què qui s
    sense ser seu seva si són sobre t també té tot un una uns unes va van`,
  cs: `a aby ale ani ani asi až bude by byl byla bylo byly být co či do i já jak jako je jeho její jejich jen ještě již
    jsem jsme jsou k když která které který kteří ke má mezi mít může na nad ne nebo není než o od pak po pod podle
    pro proto protože před při s se si tak také tato ten tento to toho tohoto tomto tu ty u už v ve však z za ze že`,
  en: 'also however may one two upon us within without would could shall yet',
  et: `aga ei ega end et he ja ka kas kes kui kuid kõik ma me mida mina mis mitte need nii ning nad oli olid olema on
    oma see selle seda sest sellest siis sina ta te tema või välja üle juures pärast kuni nagu`,
  eu: `al ala anitz arabera asko baina bat batean batek baten bere bi bidez da dago dira ditu du dute edo egin ere eta
    ez eta gara gero gu hau hauek hori horiek ika izan izango nahi ni nola non nor oso zen zer zuen ziren`,
  fa: `آن آنها از است این اما اند ای با باید بر برای بود به بی تا تر چه چون خود خواهد در دارد دارند دو را شد شده شود
    کرد کرده کند کنند که گفت ما مورد می نیز و ها هر هم هستند همه یا یک`,
  fi: `eivät ennen hän joka joko jos jälkeen kanssa kuin kun kuten mutta myös ovat pitää sekä sen siis sitä tai tämän vaan
    vai vain voi voidaan`,
  fr: `a afin ainsi alors après avant car cette comme comment donc dont elles entre être fait faire ici là lequel
    lorsque mais moins où par plus pourquoi puis quand quel quelle sans si sont sous tous tout très`,
  he: `אבל או אולי אותה אותו אחר אחרי אך אל אלה אם אני אנחנו אף אשר את אתה בין גם הוא היא היה היו היתה הם הן הזה זה זאת
    זו יותר יש כל כי כמו כן לא לו לה להם לי מאוד מה מי מן נגד עד על עם רק של שלא שלו שלה`,
  hi: 'का की के को में से है हैं और यह नहीं कर पर इस भी तो हो था थी थे लिए किया गया आप',
  it: 'c d essere gli l m n s t un v',
  ko: '그 그리고 그러나 또는 및 수 에서 으로 은 는 이 가 을 를 의 에 와 과 도 로',
  lt: `apie ar arba aš bei bet bus būti buvo dar dėl ir iš į jau jei ji jie jis jo jos jų kad kai kaip kas kiek kur
    kuri kurie kuris labai mes man nei nes ne nėra net nuo o pagal pas per po prie savo su ši šis tačiau tai taip tas
    tik to tu už yra`,
  pl: `a aby albo ale bardzo bez bo być był była było były by co czy dla do gdy gdzie go i ich ile im ja jak jako je
    jednak jego jej jest jeszcze już kto która które który lub ma mi między może można na nad nie niż o od on ona one
    oni oraz po pod poza przed przez przy są się ta tak także tam te tego tej ten to tu ty tych tym tylko w we więc wszystko
    z za ze że żeby`,
  pt: `cada deve é está estão foi não onde para pela pelo pode por se sem ser será são sobre também tem todos uma você`,
  sl: `a ali bi bil drug imajo kakor kateri morali več vsak vsi zaradi bila bilo bili bo brez če da do ga h in iz ja jaz je jih jo k kaj kako kar ker ki ko kot le lahko
    ma med mi mu na nad ne ni nič o ob od on ona oni pa po pod pred pri s sam se si so sta ste sva še ta tam te tega
    tem ti to tudi tako v vse za z že`,
  sr: `a ali ako bi bila bili bilo bio biće da do ga gde i ili iz ja je jedan još joj jer kada kako kao koja koje koji
    kod li ma među meni mi mu na nad ne nego neki nije nisu njegov o od on ona oni ono pa po pod pre pri sa samo se si
    smo ste su sve svoj ta tako to u uz već za što šta а али ако би била били било био бити да до га где и или из ја
    је један још јер када како као која које који код ли међу ми му на над не него није нису о од он она они оно па по
    под пре при са само се смо сте су све та тако то у уз већ за што шта`,
  tr: `acaba ama ancak aslında az bana bazı belki ben beni benim bir birçok bu bunu bunun burada çok çünkü da daha
    dahi de defa değil diğer diye en fakat gibi göre hem hep her hiç için ile ise kadar kez ki kim mı mi mu mü nasıl
    ne neden nerede niye o olan olarak oldu olduğu on ona onu onun sen siz sonra şey şu tüm var ve veya ya yani yok`,
  uk: `а або але без би був була були було в вже ви від він вона вони воно все де для до є за з зі і із її їх його
    й коли на над не ні ним про при по під перед після ти та так також те тим то тільки у це ця цей чи через що щоб
    як яка яке які який якщо ми`,
  vi: `anh bị bởi các cái cho chỉ có của cũng cùng đã đang đến để đó được gì hay hoặc khi không là lại làm mà một
    này nên những ở phải qua ra rất rồi sẽ sau tại thì theo trên trong từ vào và vẫn về vì với`,
};

/** Stop words as written, some with accents; none for a language without a list. */
export function stopWordsOf(language: string): readonly string[] {
  const module = LOADERS[language]?.();
  const own = OWN[language]?.split(/\s+/) ?? [];
  return module === undefined ? own : [...listOf(module), ...own];
}

/** The languages with stop words. */
export const STOP_WORD_LANGUAGES: readonly string[] = [
  ...new Set([...Object.keys(LOADERS), ...Object.keys(OWN)]),
];

function listOf(module: unknown): readonly string[] {
  assert(typeof module === 'object' && module !== null, 'stop words are a module');
  const list: unknown = Reflect.get(module, 'stopwords');
  assert(Array.isArray(list), 'stop words are a list');
  return list.map(String);
}
