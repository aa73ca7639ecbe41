const isIpv4InIpv6 = (words: readonly number[]): boolean =>
  words[5] === 0xffff && words.slice(0, 5).every((word) => word === 0);

/**
 * The text of a binary address: 4 bytes as dotted IPv4, 16 bytes as IPv6 in its canonical form (RFC 5952), except that
 * an IPv4-mapped one is shown as IPv4. Empty for anything else (a connection that is already closed has none).
 */
export function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`;
  if (bytes.length !== 16) return '';
  const words = Array.from({ length: 8 }, (_, i) => (bytes[2 * i]! << 8) | bytes[2 * i + 1]!);
  if (isIpv4InIpv6(words)) return addressText(bytes.subarray(12));

  const zeros = findLongestZeroRun(words);
  const hex = words.map((word) => word.toString(16));
  if (zeros.length < 2) return hex.join(':');
  return `${hex.slice(0, zeros.start).join(':')}::${hex.slice(zeros.start + zeros.length).join(':')}`;
}

function findLongestZeroRun(words: readonly number[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 };
  for (let start = 0; start < words.length; start++) {
    let end = start;
    while (words[end] === 0) end += 1;
    if (end - start > longest.length) longest = { start, length: end - start };
  }
  return longest;
}
