/** Words that everybody looks up. Each is a word of WordNet, which a search for it finds first. */
export const EVERYDAY_WORDS: readonly string[] = (
  'apple baby bag ball bank bed bell bird boat book bottle box bread bridge brother butter cake ' +
  'car cat chair cheese child church city clock cloud coat coffee computer cow cup day desk doctor ' +
  'dog door dream dress eye face farm father finger fire fish flower foot friend fruit ' +
  'garden glass gold grass hair hand hat heart horse house ice island key king kitchen knife lake ' +
  'leaf letter light love milk money moon mother mountain mouth music name night orange paper ' +
  'party pen phone picture queen rain river road room salt school sea shoe snow star sun table ' +
  'tree water'
).split(' ');
