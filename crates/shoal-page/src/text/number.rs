//! Numbers whose last digit follows from what is known about them.

/// A number on its own, such as a bound: as it was given, or with a power of ten where that would be long.
#[must_use]
pub fn number(value: f64) -> String {
    if value != 0.0 && !(1e-4..1e9).contains(&value.abs()) {
        scientific(value, None)
    } else {
        grouped(&format!("{value}"))
    }
}

/// A value to one digit below the leading digit of `step`, its uncertainty.
#[must_use]
pub fn to_step(value: f64, step: f64) -> String {
    if step <= 0.0 || !step.is_finite() {
        return value.to_string();
    }
    let decimals = (1.0 - step.log10().floor()).clamp(0.0, 12.0) as usize;
    format!("{value:.decimals$}")
}

/// A value and the half width of its noise band, both cut at the digit where the noise begins; the band is rounded up.
///
/// Without noise there is no such digit: the value has four and no band.
///
/// ```
/// use shoal_page::text::with_noise;
///
/// assert_eq!(with_noise(48_213.0, 1234.0), ("48,200".into(), Some("1300".into())));
/// ```
#[must_use]
pub fn with_noise(value: f64, band: f64) -> (String, Option<String>) {
    if !(band.is_finite() && band > 0.0) {
        let last = if value == 0.0 { 0 } else { 3 - exponent(value) };
        return (fixed(value, last.max(0)), None);
    }
    let leading = exponent(band);
    // A leading 1 or 2 alone would be a coarse step, so it gets a companion.
    let second = band / 10f64.powi(leading) < 3.0;
    let decimals = i32::from(second) - leading;
    let step = 10f64.powi(-decimals);
    let up = if step > 0.0 && (band / step).is_finite() { (band / step - 1e-6).ceil() * step } else { band };
    (fixed(value, decimals), Some(fixed(up, decimals)))
}

/// A share between 0 and 1, in per cent.
#[must_use]
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        p if p > 0.0 && p < 0.1 => "less than 0.1\u{a0}%".into(),
        p if p < 10.0 => format!("{}\u{a0}%", fixed((p * 10.0).round() / 10.0, 1).trim_end_matches(".0")),
        p => format!("{}\u{a0}%", fixed(p, 0)),
    }
}

/// A number with `decimals` digits after the point; negative ones round before it.
#[must_use]
pub fn fixed(value: f64, decimals: i32) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    if value.abs() >= 1e9 || decimals > 9 {
        return scientific(value, Some((exponent(value) + decimals).clamp(0, 9) as usize));
    }
    if decimals < 0 {
        let unit = 10f64.powi(-decimals);
        return grouped(&format!("{:.0}", (value / unit).round() * unit));
    }
    grouped(&format!("{value:.*}", decimals as usize))
}

/// The power of ten of the leading digit; 0 for what has none.
#[must_use]
pub fn exponent(value: f64) -> i32 {
    if value == 0.0 || !value.is_finite() { 0 } else { value.abs().log10().floor() as i32 }
}

fn scientific(value: f64, digits: Option<usize>) -> String {
    let text = digits.map_or_else(|| format!("{value:e}"), |digits| format!("{value:.digits$e}"));
    let Some((mantissa, power)) = text.split_once('e') else { return grouped(&text) };
    let raised = |c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32('⁰' as u32 + digit as u32 - '0' as u32).unwrap_or(digit),
    };
    format!("{}×10{}", mantissa.replace('-', "−"), power.chars().map(raised).collect::<String>())
}

/// A real minus sign, none before zero, and commas between thousands from five digits on.
pub(super) fn grouped(text: &str) -> String {
    let (minus, text) = text.strip_prefix('-').map_or(("", text), |rest| ("−", rest));
    let minus = if text.chars().all(|c| c == '0' || c == '.') { "" } else { minus };
    let (whole, fraction) = text.find('.').map_or((text, ""), |point| text.split_at(point));
    let mut out = String::from(minus);
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) && whole.len() > 4 {
            out.push(',');
        }
        out.push(digit);
    }
    out + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_decides_the_digits() {
        let shown = |value, band| match with_noise(value, band) {
            (value, Some(band)) => format!("{value} ± {band}"),
            (value, None) => value,
        };
        assert_eq!(shown(38.2123, 0.42), "38.2 ± 0.5");
        assert_eq!(shown(38.2123, 0.142), "38.21 ± 0.15");
        assert_eq!(shown(38.2123, 0.2), "38.21 ± 0.20");
        assert_eq!(shown(48213.0, 1234.0), "48,200 ± 1300");
        assert_eq!(shown(-0.3, 700.0), "0 ± 700");
        assert_eq!(shown(1.0 / 3.0, 0.0), "0.3333");
        assert_eq!(shown(2.5e12, 3e10), "2.50×10¹² ± 3×10¹⁰");
    }

    #[test]
    fn digits_follow_the_step() {
        assert_eq!(to_step(24.0123, 0.24), "24.01");
        assert_eq!(to_step(178_557.3, 10_390.0), "178557");
        assert_eq!(to_step(0.2059, 0.2059), "0.21");
        assert_eq!(to_step(1.5, 0.0), "1.5");
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(number(17.0), "17");
        assert_eq!(number(-1_484_705.0), "−1,484,705");
        assert_eq!(number(1e-300), "1×10⁻³⁰⁰");
        assert_eq!(percent(0.004), "0.4\u{a0}%");
        assert_eq!(percent(0.05), "5\u{a0}%");
        assert_eq!(percent(0.000_04), "less than 0.1\u{a0}%");
        assert_eq!(percent(0.384), "38\u{a0}%");
    }
}
